// T-DIVERGE: a write followed by an endless loop must be published although its block never ends.
// Broken: first writes x = 1, then second looks.
// expect: unreach-call false
// expect: no-data-race false
// expect: termination false
#include <assert.h>
#include <pthread.h>

int x;

void *first(void *arg)
{
    x = 1;
    for (;;)
        ;
}

void *second(void *arg)
{
    assert(x == 0);
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
