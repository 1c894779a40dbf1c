// Figure 1 of the ThreadingCPA paper (Beyer, Friedberger, 2016): two threads that add each other's variable.
// Safe: j is largest (the Fibonacci number 8) when the additions alternate, also when each is a read and a write.
// expect: unreach-call true
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
    assert(j <= 8);
    return 0;
}
