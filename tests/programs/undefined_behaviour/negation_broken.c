// The negation of the least number does not fit.
// expect: undefined-behaviour false
#include <limits.h>

int main(void)
{
    int x = INT_MIN;
    x = -x;
    return x == 0;
}
