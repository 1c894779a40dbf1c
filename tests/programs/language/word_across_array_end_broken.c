// The last element of an array is read in a piece that begins in its middle. The array was once taken to end before that piece, so
// that its last element was no cell at all: Impact took a store into it, through a pointer with a choice, not to happen.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
int a[4], other;
int main(void)
{
    _Bool i = __VERIFIER_nondet_bool();
    int *p = __VERIFIER_nondet_bool() ? &a[3] : &other;
    *p = 5;
    a[i] = 1;
    short piece = *(short *)((char *)&a[3] + 1);
    assert(p != &a[3] || piece != 0);
    return 0;
}
