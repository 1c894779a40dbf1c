// A call that succeeds may change errno all the same.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
    errno = 0;
    if (fopen("file", "r"))
        assert(errno == 0);
    return 0;
}
