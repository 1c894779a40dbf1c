// The program's own function gives the seed, and draws a number before: the generator is started a second time, from the same state.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

static int first;

long time(long *at)
{
    first = rand();
    return at ? *at = 1 : 1;
}

int main(void)
{
    srand(time(0));
    assert(rand() == first);
    return 0;
}
