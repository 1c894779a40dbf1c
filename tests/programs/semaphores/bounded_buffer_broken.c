// The two-slot buffer with counting semaphores but no lock around the producers.
// Broken: both producers read tail==0 and write slot 0; one item is lost and slot 1 is read as 0.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t empty, filled;
int buffer[2], tail;

void *producer(void *arg)
{
    int item = (int)(long)arg;
    sem_wait(&empty);
    int at = tail;
    tail = at + 1;
    buffer[at] = item;
    sem_post(&filled);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&empty, 0, 2);
    sem_init(&filled, 0, 0);
    pthread_create(&a, 0, producer, (void *)1L);
    pthread_create(&b, 0, producer, (void *)2L);
    sem_wait(&filled);
    sem_wait(&filled);
    assert(buffer[0] + buffer[1] == 3);
    return 0;
}
