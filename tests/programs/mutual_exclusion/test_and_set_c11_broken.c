// A spinlock that tests with one atomic operation and sets with another.
// Broken: both threads load 0, both store 1, both are inside; one increment is lost.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int busy;
int count;

void *visit(void *arg)
{
    while (busy)
        ;
    busy = 1;
    count++;
    busy = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
