// A sequential loop with an invariant that must be found: 2 * i == s.
// expect: unreach-call true
// expect: termination true
// expect: no-overflow true
// explore: unknown
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 1000000, i, s = 0;
    for (i = 0; i < n; i++)
        s += 2;
    assert(s == 2 * n);
    return 0;
}
