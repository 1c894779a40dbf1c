// T-LOCALINF: an infinite local loop of one thread must not keep the others from being explored.
// Broken: second runs at once.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

void *first(void *arg)
{
    for (;;)
        ;
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
