// Addresses may be the same, or not.
// options: --reuse-addresses
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p), *q;
    *p = 1;
    free(p);
    q = malloc(sizeof *q);
    *q = 2;
    assert(*q == 2);
    free(q);
    return 0;
}
