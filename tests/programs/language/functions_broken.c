// The wrong entry of a table of functions.
// Broken: entry 1 subtracts.
// expect: unreach-call false
// expect: termination true
#include <assert.h>

int add(int a, int b)
{
    return a + b;
}

int subtract(int a, int b)
{
    return a - b;
}

int (*table[2])(int, int) = {add, subtract};

int main(void)
{
    assert(table[1](3, 4) == 7);
    return 0;
}
