// 32-bit nondeterministic input with an assumption on its range.
// Safe: squares of 0..1000 are below 1000001.
// expect: unreach-call true
// expect: no-overflow true
// expect: termination true
// explore: unknown
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= 1000);
    assert(n * n <= 1000000);
    assert((n ^ n) == 0 && (n & 1) + (n & ~1) == n);
    return 0;
}
