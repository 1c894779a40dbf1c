/* A semaphore orders the two accesses. */
// expect: no-data-race true
#include <pthread.h>
#include <semaphore.h>

int x;
sem_t ready;

void *first(void *arg)
{
    (void)arg;
    x = 1;
    sem_post(&ready);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    sem_wait(&ready);
    x++;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
