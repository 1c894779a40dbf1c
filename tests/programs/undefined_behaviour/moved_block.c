// A block gets a size that is an input: what was set stays set.
// expect: undefined-behaviour true
// explore: unknown
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 10 + 1;
    int *block = malloc(sizeof *block);
    *block = 1;
    block = realloc(block, n * sizeof *block);
    int first = block[0] > 0;
    free(block);
    return first;
}
