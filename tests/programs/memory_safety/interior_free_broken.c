// The pointer that is freed has moved into the object.
// expect: valid-memsafety false
// expect: valid-free false
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    for (int i = 0; i < 2; i++)
        *p++ = i;
    free(p);
    return 0;
}
