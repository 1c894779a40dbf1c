// T-PTR: a pointer that is constant on each path must not be forgotten in the label.
// Broken: p = &b, so a stays 0.
// expect: unreach-call false
// expect: termination true
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

int a, b;

int main(void)
{
    int *p;
    if (__VERIFIER_nondet_bool())
        p = &a;
    else
        p = &b;
    *p = 1;
    assert(a == 1);
    return 0;
}
