// T-PROP: an index that is constant on each path must not be forgotten in the label.
// Broken: i = 1, so a[0] stays 0.
// expect: unreach-call false
// expect: termination true
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int a[2] = {0, 0};
    int i;
    if (__VERIFIER_nondet_bool())
        i = 0;
    else
        i = 1;
    a[i] = 1;
    assert(a[0] == 1);
    return 0;
}
