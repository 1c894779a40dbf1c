// The second block may lie where the first one was: then it is freed twice.
// expect: valid-memsafety false
// expect: valid-free false
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    char *first = malloc(8);
    uintptr_t where = (uintptr_t)first;
    free(first);
    char *second = malloc(8);
    if ((uintptr_t)second == where)
        free(second);
    free(second);
    return 0;
}
