// Unsigned arithmetic wraps around, which is defined.
// expect: undefined-behaviour true
// expect: no-overflow true
#include <limits.h>

int main(void)
{
    unsigned x = UINT_MAX;
    x++;
    return x != 0;
}
