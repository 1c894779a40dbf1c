// A heap object is read after it was freed.
// expect: valid-memsafety false
// expect: valid-deref false
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    assert(*p == 1);
    return 0;
}
