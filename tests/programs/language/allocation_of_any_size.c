// Allocations whose size is not constant: an array of the heap, one that starts as zeros, and one of variable length.
// expect: unreach-call true
// expect: no-overflow true
// explore: unknown
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
struct pair { int key; long value; };
int last_of(unsigned n)
{
    int row[n];
    row[n - 1] = 7;
    return row[n - 1];
}
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n > 1 && n < 1000);
    int *a = malloc(n * sizeof *a);
    struct pair *zeros = calloc(n, sizeof *zeros);
    a[0] = 1;
    a[n - 1] = 2;
    assert(a[0] == 1);
    assert(zeros[n - 1].value == 0);
    zeros[n / 2].value = a[n - 1];
    assert(zeros[n / 2].value == 2);
    assert(zeros[0].key == 0);
    assert(last_of(n) == 7);
    return 0;
}
