// An address that was freed may come back.
// options: --reuse-addresses
// expect: unreach-call false
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p), *q;
    uintptr_t old = (uintptr_t)p;
    free(p);
    q = malloc(sizeof *q);
    assert((uintptr_t)q != old);
    free(q);
    return 0;
}
