// As string_of_input_length.c, but the end is written before the last byte that counts: where n is 1, it is outside.
// expect: valid-memsafety false
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        n = 1;
    char *text = malloc(n);
    text[n - 2] = 0;
    const char *at = text;
    while (*at)
        at++;
    free(text);
    return 0;
}
