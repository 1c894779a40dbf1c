// The absolute value of the smallest int is not positive.
// Broken: n == INT_MIN is its own unsigned negation, which converts back to INT_MIN.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
// explore: unknown
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int absolute = n < 0 ? (int)(0u - (unsigned)n) : n;
    assert(absolute >= 0);
    return 0;
}
