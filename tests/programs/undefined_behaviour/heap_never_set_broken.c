// A decision depends on a heap object that was never set.
// expect: undefined-behaviour false
// expect: valid-memsafety true
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p), result = 0;
    if (*p)
        result = 1;
    free(p);
    return result;
}
