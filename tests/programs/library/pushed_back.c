// A character that is pushed back is the next one to be read.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    if (c == EOF)
        return 0;
    assert(c >= 0 && c <= 255);
    assert(ungetc(c, stdin) == c);
    assert(getchar() == c);
    return 0;
}
