// The generator is started once, before the first number: each number may be any.
// expect: unreach-call true
// expect: undefined-behaviour true
// explore: unknown
#include <assert.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    srand((unsigned)time(NULL));
    int dividend = rand(), divisor = rand();
    assert(divisor >= 0);
    return divisor ? dividend / divisor : 0;
}
