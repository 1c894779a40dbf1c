// Signed addition past INT_MAX.
// Every execution adds 1 to INT_MAX.
// expect: no-overflow false
// expect: termination true
#include <limits.h>

int add(int a, int b)
{
    return a + b;
}

int main(void)
{
    return add(INT_MAX, 1) < 0;
}
