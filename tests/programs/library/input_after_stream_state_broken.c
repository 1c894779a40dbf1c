// The state of a stream is looked at, but its input is still any.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    if (!feof(stdin) && !ferror(stdin))
        assert(c != 'q');
    return 0;
}
