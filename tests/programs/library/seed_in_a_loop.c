// One call in the text, but it is made twice.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

static int numbers[2];

int main(void)
{
    int n = 0;
again:
    srand(7);
    numbers[n] = rand();
    n++;
    if (n < 2)
        goto again;
    assert(numbers[0] == numbers[1]);
    return 0;
}
