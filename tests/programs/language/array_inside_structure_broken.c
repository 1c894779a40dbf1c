// A pointer into the middle of an array that lies inside a structure walks both ways. Impact once took the array to begin where
// the pointer points, dropped the other executions silently, and called this program correct.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
// explore: unknown
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
struct record { long n; int a[4]; long rest; } r;
int main(void)
{
    int *middle = &r.a[2];
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= -2 && i <= 1);
    middle[i] = 5;
    r.n = 0;
    r.rest = 0;
    assert(i >= 0);
    return 0;
}
