// The least number divided by -1 does not fit.
// expect: undefined-behaviour false
// expect: no-overflow false
#include <limits.h>

int divisor = -1, dividend = INT_MIN;

int main(void)
{
    return dividend / divisor;
}
