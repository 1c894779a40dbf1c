// A pthread_barrier for three that only two threads reach.
// Deadlocks always: both wait for a third.
// expect: no-deadlock false
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;

void *work(void *arg)
{
    pthread_barrier_wait(&barrier);
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
