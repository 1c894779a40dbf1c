// A string that ends at its last byte, of a length that is an input, is followed to its end: the proof needs the byte behind which nothing is read.
// expect: valid-memsafety true
// explore: unknown
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        n = 1;
    char *text = malloc(n);
    text[n - 1] = 0;
    const char *at = text;
    while (*at)
        at++;
    free(text);
    return 0;
}
