// fgets writes at most as much as it is told to, and terminates it; the input can be anything.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[3];
    if (fgets(line, sizeof line, stdin)) assert(line[2] == 0 || line[1] == 0 || line[0] == 0);
    int c = getchar();
    assert(c == EOF || (c >= 0 && c <= 255));
    return 0;
}
