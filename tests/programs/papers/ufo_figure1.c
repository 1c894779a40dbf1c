// Figure 1 of the UFO paper (Albarghouthi, Gurfinkel, Chechik, TACAS 2012), from its path formula.
// Safe: x is 0 or an earlier value of i.
// expect: unreach-call true
// expect: termination true
// expect: no-overflow true
// explore: unknown
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

void foo(int n)
{
    int i = 0, x = 0;
    while (i < n) {
        if (i <= 2)
            x = 0;
        else
            x = i;
        i++;
    }
    assert(x >= 0);
}

int main(void)
{
    foo(__VERIFIER_nondet_int());
    return 0;
}
