// The second number from a seed may be another one.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    srand(7);
    int first = rand();
    assert(rand() == first);
    return 0;
}
