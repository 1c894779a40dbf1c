// A one-slot buffer with ONE condition for both directions and signal instead of broadcast.
// Deadlocks: both consumers wait; the producer puts item 1 (wakes C1), then waits because the slot is full; C1
// takes it and its signal wakes C2, which finds the slot empty and waits again: producer and C2 wait for ever.
// expect: no-deadlock false
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full;

void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (full)
            pthread_cond_wait(&changed, &mutex);
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&changed, &mutex);
    assert(full);
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t p, c1, c2;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c1, 0, consumer, 0);
    pthread_create(&c2, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c1, 0);
    pthread_join(c2, 0);
    return 0;
}
