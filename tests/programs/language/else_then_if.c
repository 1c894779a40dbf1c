// An `if` after an `else` branch is a statement of its own, not an `else if`: a parser of ours once thought otherwise.
// expect: unreach-call true
// expect: termination true
// expect: no-overflow true
#include <assert.h>

int pick(int a, int b)
{
    int r = 0;
    if (a)
        r += 1;
    else
        r += 2;
    if (b)
        r += 10;
    if (!b)
        r += 20;
    else if (a)
        r += 100;
    else
        r += 200;
    if (a && b)
        r += 1000;
    return r;
}

int main(void)
{
    assert(pick(0, 0) == 22);
    assert(pick(1, 0) == 21);
    assert(pick(0, 1) == 212);
    assert(pick(1, 1) == 1111);
    return 0;
}
