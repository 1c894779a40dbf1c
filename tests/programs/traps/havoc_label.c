// T-HAVOC: a label before a nondeterministic assignment must not speak about the assigned variable.
// Safe: each round assumes what it asserts.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x, y = 1;
    while (__VERIFIER_nondet_int()) {
        x = __VERIFIER_nondet_int();
        __VERIFIER_assume(x > 0 && y > 0);
        assert(x > 0 && y > 0);
    }
    return 0;
}
