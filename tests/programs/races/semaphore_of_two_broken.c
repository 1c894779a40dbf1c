/* A semaphore that starts at 2 lets both in. */
// expect: no-data-race false
#include <pthread.h>
#include <semaphore.h>

int x;
sem_t s;

void *first(void *arg)
{
    (void)arg;
    sem_wait(&s);
    x++;
    sem_post(&s);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    sem_wait(&s);
    x++;
    sem_post(&s);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 2);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
