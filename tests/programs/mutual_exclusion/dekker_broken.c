// Dekker's algorithm with the flag raised after the test instead of before it.
// Broken: both read the other's flag as 0, then both raise theirs; first writes inside = 1, second writes
// inside = 2, first's assertion fails.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag0, flag1, inside;

void *first(void *arg)
{
    while (flag1)
        ;
    flag0 = 1;
    inside = 1;
    assert(inside == 1);
    flag0 = 0;
    return 0;
}

void *second(void *arg)
{
    while (flag0)
        ;
    flag1 = 1;
    inside = 2;
    assert(inside == 2);
    flag1 = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
