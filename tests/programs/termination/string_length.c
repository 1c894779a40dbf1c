// The terminating zero of a string of any length.
// expect: termination true
// options: --assume no-undefined-behaviour
// explore: unknown
extern int __VERIFIER_nondet_int(void);
#include <stdlib.h>

int main(void)
{
    int length = __VERIFIER_nondet_int(), n = 0;
    if (length < 1)
        length = 1;
    char *text = malloc(length);
    for (int i = 0; i < length; i++)
        text[i] = 'a';
    text[length - 1] = 0;
    while (text[n] != 0)
        n++;
    return n < 0;
}
