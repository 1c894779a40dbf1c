// A wake-up that nobody hears: the program can deadlock.
//
// The consumer looks at `ready` before it holds the mutex. If the producer sets `ready` and signals between that
// look and the wait, the signal finds no waiter and is lost; the consumer then waits for ever and main waits for
// the consumer. No assertion fails, so only the deadlock property shows it. The cure: test `ready` in a `while`
// loop inside the critical section, and set it there too.
//
//     threadproof verify examples/lost_wakeup.c --property no-deadlock
//
// expect: unreach-call true
// expect: no-deadlock false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready = 0;

void *producer(void *arg)
{
    ready = 1;
    pthread_cond_signal(&changed);
    return 0;
}

void *consumer(void *arg)
{
    if (!ready) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(ready == 1);
    return 0;
}
