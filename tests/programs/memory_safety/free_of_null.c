// A pointer is set to null after free, so that freeing it again does nothing.
// expect: valid-memsafety true
// expect: valid-memcleanup true
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8);
    free(p);
    p = 0;
    free(p);
    return 0;
}
