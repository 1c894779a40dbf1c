// A buffer of two slots with three semaphores (Dijkstra): free slots, filled slots, and a lock.
// Safe: two producers write different slots, the consumer reads only filled ones; every item arrives once.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t empty, filled, lock;
int buffer[2], head, tail, sum;

void *producer(void *arg)
{
    int item = (int)(long)arg;
    sem_wait(&empty);
    sem_wait(&lock);
    buffer[tail] = item;
    tail = (tail + 1) % 2;
    sem_post(&lock);
    sem_post(&filled);
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&filled);
        sem_wait(&lock);
        sum += buffer[head];
        head = (head + 1) % 2;
        sem_post(&lock);
        sem_post(&empty);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    sem_init(&empty, 0, 2);
    sem_init(&filled, 0, 0);
    sem_init(&lock, 0, 1);
    pthread_create(&a, 0, producer, (void *)1L);
    pthread_create(&b, 0, producer, (void *)2L);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(sum == 3);
    return 0;
}
