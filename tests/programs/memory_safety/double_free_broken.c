// A heap object is freed twice, through two pointers.
// expect: valid-memsafety false
// expect: valid-free false
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8), *q = p;
    free(p);
    free(q);
    return 0;
}
