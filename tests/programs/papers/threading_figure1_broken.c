// Figure 1 of the ThreadingCPA paper with a bound that is one too low.
// Broken: i=2, j=3, i=5, j=8.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

int i = 1, j = 1;

void *first(void *arg)
{
    i += j;
    i += j;
    return 0;
}

void *second(void *arg)
{
    j += i;
    j += i;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(j <= 7);
    return 0;
}
