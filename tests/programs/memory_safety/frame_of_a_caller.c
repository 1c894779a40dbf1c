// A callee writes a variable of its caller, which is alive.
// expect: valid-memsafety true
// expect: unreach-call true
#include <assert.h>

void set(int *to)
{
    *to = 7;
}

int twice(void)
{
    int x;
    set(&x);
    return 2 * x;
}

int main(void)
{
    assert(twice() == 14);
    return 0;
}
