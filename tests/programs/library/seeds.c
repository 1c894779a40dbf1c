// Pseudo-random numbers repeat with the seed.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    srand(7);
    int first = rand();
    srand(7);
    assert(rand() == first);
    return 0;
}
