// Formats that number their arguments.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[32];
    assert(sprintf(text, "%2$d %1$s", "x", 7) == 3 && !strcmp(text, "7 x"));
    assert(sprintf(text, "%1$d%1$d", 4) == 2 && !strcmp(text, "44"));
    assert(sprintf(text, "%2$5d|%1$-3d|", 1, 22) == 10 && !strcmp(text, "   22|1  |"));
    return 0;
}
