// A word of a block from malloc that nothing ever set decides where the program goes.
// expect: undefined-behaviour false
// expect: valid-memsafety false
// expect: unreach-call true
// explore: unknown

#include <stdlib.h>

int main(void) {
    int *p = malloc(2 * sizeof(int));
    if (!p)
        return 0;
    p[0] = 1;
    if (p[1] == 3)
        return 1;
    return 0;
}
