// The only pointer to a heap object is overwritten.
// expect: valid-memsafety false
// expect: valid-memtrack false
// expect: valid-memcleanup false
// expect: valid-deref true
#include <stdlib.h>

int *last;

int main(void)
{
    last = malloc(sizeof *last);
    last = malloc(sizeof *last);
    free(last);
    return 0;
}
