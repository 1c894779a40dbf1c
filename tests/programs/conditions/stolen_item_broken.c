// Two consumers with `if`, one producer of two items: broken even without spurious wake-ups.
// Broken: A waits; the producer adds an item and signals; B comes in before A and takes it; A then runs with
// items==0 (the second item is not there yet).
// expect: unreach-call false
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&filled, &mutex);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t p, a, b;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
