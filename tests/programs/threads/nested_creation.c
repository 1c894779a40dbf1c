// A thread that creates and joins a thread of its own.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x;

void *inner(void *arg)
{
    x = x + 1;
    return 0;
}

void *outer(void *arg)
{
    pthread_t child;
    x = 1;
    pthread_create(&child, 0, inner, 0);
    pthread_join(child, 0);
    x = x * 2;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, outer, 0);
    pthread_join(a, 0);
    assert(x == 4);
    return 0;
}
