// A call that fails sets errno to something that is not zero.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
    errno = 0;
    FILE *file = fopen("file", "r");
    if (!file)
        assert(errno != 0);
    else
        fclose(file);
    return 0;
}
