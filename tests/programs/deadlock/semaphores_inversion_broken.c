/* Two binary semaphores are taken in opposite orders. */
// expect: no-deadlock false
#include <pthread.h>
#include <semaphore.h>

sem_t s, t;

void *first(void *arg)
{
    (void)arg;
    sem_wait(&s);
    sem_wait(&t);
    sem_post(&t);
    sem_post(&s);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    sem_wait(&t);
    sem_wait(&s);
    sem_post(&s);
    sem_post(&t);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 1);
    sem_init(&t, 0, 1);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
