// A sum that does not fit its type.
// expect: undefined-behaviour false
// expect: no-overflow false
// expect: unreach-call true
#include <limits.h>

int main(void)
{
    int x = INT_MAX;
    x++;
    return x == 0;
}
