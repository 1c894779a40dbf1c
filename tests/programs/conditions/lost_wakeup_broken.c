// The producer sets the flag and signals without the mutex.
// Deadlocks: the consumer, holding the mutex, sees ready==0; the producer sets it and signals (nobody waits yet);
// the consumer then waits for ever. A deadlock is a state without a spurious wake-up to hope for.
// expect: no-deadlock false
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
atomic_int ready;

void *producer(void *arg)
{
    ready = 1;
    pthread_cond_signal(&changed);
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
