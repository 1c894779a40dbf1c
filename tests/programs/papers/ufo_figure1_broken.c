// Figure 1 of the UFO paper with a sign error.
// Broken: n == 4 ends with x == -3.
// expect: unreach-call false
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
            x = -i;
        i++;
    }
    assert(x >= 0);
}

int main(void)
{
    foo(__VERIFIER_nondet_int());
    return 0;
}
