// glibc frees a block that is to have no bytes, and returns a null pointer.
// expect: valid-memsafety true
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof(int));
    int *q = realloc(p, 0);
    assert(q == 0);
    return 0;
}
