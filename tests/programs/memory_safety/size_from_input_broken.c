// An allocation of a size that is not known, and an access at its end.
// expect: valid-memsafety false
// expect: valid-deref false
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000)
        return 0;
    char *p = malloc(n);
    p[n] = 2;
    free(p);
    return 0;
}
