// T-LOCALINF with recursion instead of a loop: an endless descent must not starve the other thread.
// Broken: second runs at once.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <pthread.h>

void descend(int depth)
{
    if (depth >= 0)
        descend(depth);
}

void *first(void *arg)
{
    descend(1);
    return 0;
}

void *second(void *arg)
{
    assert(0);
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
