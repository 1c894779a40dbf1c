// A pointer is moved so far that the machine's address is the one of another element of its array again.
// expect: undefined-behaviour false
#include <stdint.h>

int main(void)
{
    int values[5];
    int *p = &values[1];
    int *q = p + PTRDIFF_MAX;
    (void)q;
    return 0;
}
