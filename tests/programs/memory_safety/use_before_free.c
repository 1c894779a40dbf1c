// A heap object is read before it is freed.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    assert(*p == 1);
    free(p);
    return 0;
}
