// As counts_down.c, but one more may be cleared than there is.
// expect: valid-memsafety false
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void clear(char *at, size_t left)
{
    while (left--)
        *at++ = 0;
}

int main(void)
{
    int size = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (size < 1 || n < 0 || n > size + 1)
        return 0;
    char *block = malloc(size);
    clear(block, n);
    free(block);
    return 0;
}
