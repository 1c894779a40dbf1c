// The second block may lie where the first one was, and is then freed twice; but it is taken for granted that nothing is undefined, and no assertion fails.
// expect: unreach-call true
// options: --assume no-undefined-behaviour
#include <assert.h>
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
    assert(first);
    return 0;
}
