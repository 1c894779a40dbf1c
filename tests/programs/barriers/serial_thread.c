// In each round of a barrier exactly one thread is told that it is the serial one.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_barrier_t barrier;
_Atomic int serial;

void round_of(int expected)
{
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result)
        serial++;
    pthread_barrier_wait(&barrier);
    assert(serial == expected);
    pthread_barrier_wait(&barrier);
}

void *worker(void *arg)
{
    round_of(1);
    round_of(2);
    return 0;
}

int main(void)
{
    pthread_t a;
    assert(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, 0, 2) == 0);
    pthread_create(&a, 0, worker, 0);
    worker(0);
    pthread_join(a, 0);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
