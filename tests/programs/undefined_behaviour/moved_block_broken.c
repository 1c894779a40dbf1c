// The second element of the larger block was never set, and a decision depends on it.
// expect: undefined-behaviour false
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 10 + 2;
    int *block = malloc(sizeof *block);
    *block = 1;
    block = realloc(block, n * sizeof *block);
    int second = 0;
    if (block[1] > 0) {
        second = 1;
    }
    free(block);
    return second;
}
