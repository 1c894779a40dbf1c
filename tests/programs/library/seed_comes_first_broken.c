// As seed_comes_first.c: the second number may be zero, and may be the first one.
// expect: undefined-behaviour false
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    srand((unsigned)time(NULL));
    int dividend = rand(), divisor = rand();
    assert(dividend != divisor);
    return dividend / divisor;
}
