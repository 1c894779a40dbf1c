// pthread_barrier: each thread writes its cell before the barrier and reads the other's after it.
// Safe: nobody passes before both arrived; exactly one is told PTHREAD_BARRIER_SERIAL_THREAD.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int cell[2], serial[2];

void *work(void *arg)
{
    long me = (long)arg;
    cell[me] = 1;
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    serial[me] = result == PTHREAD_BARRIER_SERIAL_THREAD;
    assert(cell[1 - me] == 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    assert(pthread_barrier_init(&barrier, 0, 2) == 0);
    pthread_create(&a, 0, work, (void *)0L);
    pthread_create(&b, 0, work, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(serial[0] + serial[1] == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
