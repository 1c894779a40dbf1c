// A thread that creates another but does not join it: main's join of the outer one does not wait for the inner.
// Broken: main reads x==1 before the inner thread writes 2.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int x;

void *inner(void *arg)
{
    x = 2;
    return 0;
}

void *outer(void *arg)
{
    pthread_t child;
    x = 1;
    pthread_create(&child, 0, inner, 0);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, outer, 0);
    pthread_join(a, 0);
    assert(x == 2);
    return 0;
}
