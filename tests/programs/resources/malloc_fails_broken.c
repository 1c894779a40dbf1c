// calloc may return a null pointer.
// options: --malloc-may-fail
// expect: unreach-call false
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = calloc(1, sizeof *p);
    assert(p);
    return 0;
}
