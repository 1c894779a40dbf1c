// Two pointers led to different places of a block before it was freed: they are not equal afterwards.
// expect: unreach-call false
// expect: valid-memsafety true
// explore: unknown
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *block = malloc(2), *first = block, *second = block + 1;
    int n = __VERIFIER_nondet_int();
    free(block);
    while (n > 100)
        n /= 2;
    if (n == 77 && first != second)
        reach_error();
    return 0;
}
