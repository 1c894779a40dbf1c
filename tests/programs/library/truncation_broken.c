// snprintf returns the length that the text would have had, not that of what it wrote: the assertion confuses the two.
// expect: unreach-call false
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[4];
    int n = snprintf(text, sizeof text, "%d", 12345);
    assert(n == (int)strlen(text));
    return 0;
}
