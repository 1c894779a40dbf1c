// A program that is prepared for failing allocations.
// options: --malloc-may-fail
// expect: unreach-call true
// expect: no-data-race true
// expect: no-deadlock true
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void)
{
    int *grown, *p = malloc(2 * sizeof *p);
    if (!p) {
        assert(errno == ENOMEM);
        return 0;
    }
    p[0] = 7;
    grown = realloc(p, 4 * sizeof *p);
    if (!grown)
        grown = p;
    assert(grown[0] == 7);
    free(grown);
    return 0;
}
