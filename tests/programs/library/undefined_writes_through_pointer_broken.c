// An undefined function may write what a pointer variable points to.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <stdlib.h>

extern void frob(int *);

int main(void)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = 0;
    frob(p);
    assert(*p == 0);
    return 0;
}
