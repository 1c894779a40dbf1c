// A program that was never seeded draws as if from the seed 1: the numbers before and after the call are the same.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

static int first;

int main(void)
{
    first = rand();
    srand(1);
    assert(rand() == first);
    return 0;
}
