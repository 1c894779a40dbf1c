// A block gets a size that is an input, and is written behind its end.
// expect: valid-memsafety false
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    int *p = malloc(2 * sizeof(int));
    p[0] = 5;
    p[1] = 7;
    int *q = realloc(p, n * sizeof(int));
    assert(q[0] == 5);
    if (n > 1)
        assert(q[1] == 7);
    q[n] = 3;
    free(q);
    return 0;
}
