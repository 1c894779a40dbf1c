// The consumer waits for `full` in a while loop, under the mutex that protects it.
// Safe: after the loop full holds, whatever woke the thread; no wake-up is lost because test and wait are atomic
// with respect to the producer.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int full;

void *producer(void *arg)
{
    pthread_mutex_lock(&mutex);
    full = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&filled, &mutex);
    assert(full == 1);
    full = 0;
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
    assert(full == 0);
    return 0;
}
