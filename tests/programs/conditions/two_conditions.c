// A one-slot buffer with a condition for each direction; two items pass through it in order.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int full, slot;

void *producer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        while (full)
            pthread_cond_wait(&emptied, &mutex);
        slot = i;
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        while (!full)
            pthread_cond_wait(&filled, &mutex);
        assert(slot == i);
        full = 0;
        pthread_cond_signal(&emptied);
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
    assert(!full);
    return 0;
}
