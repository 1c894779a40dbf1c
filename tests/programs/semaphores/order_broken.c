// The producer takes the lock before it waits for a free slot (one slot).
// Deadlocks: item 1 fills the slot; the producer locks and waits for a free slot; the consumer waits for the lock.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>
#include <semaphore.h>

sem_t empty, filled, lock;

void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&lock);
        sem_wait(&empty);
        sem_post(&lock);
        sem_post(&filled);
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&filled);
        sem_wait(&lock);
        sem_post(&lock);
        sem_post(&empty);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&empty, 0, 1);
    sem_init(&filled, 0, 0);
    sem_init(&lock, 0, 1);
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
