// Both bounds of an index are tested.
// expect: valid-memsafety true
// expect: unreach-call true
// explore: unknown
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int a[8];

int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 8)
        return 1;
    a[i] = 1;
    assert(a[i] == 1);
    return 0;
}
