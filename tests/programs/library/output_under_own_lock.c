// The lock of a stream is recursive, and another stream has another lock.
// expect: no-deadlock true
#include <stdio.h>

int main(void) {
    flockfile(stdout);
    printf("text\n");
    fputs("text\n", stderr);
    flockfile(stdout);
    funlockfile(stdout);
    funlockfile(stdout);
    return 0;
}
