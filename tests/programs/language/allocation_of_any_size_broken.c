// A cleared array of unknown length whose last element is set: the second assertion forgets the one before it.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
// explore: unknown
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n > 1 && n < 1000 && i < n);
    int *a = calloc(n, sizeof *a);
    a[n - 1] = 2;
    assert(a[n - 1] == 2);
    assert(a[i] == 2 || (a[i] == 0 && i < n - 2));
    return 0;
}
