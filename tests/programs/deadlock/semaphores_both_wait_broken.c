/* Each thread waits before it posts. */
// expect: no-deadlock false
#include <pthread.h>
#include <semaphore.h>

sem_t s, t;

void *first(void *arg)
{
    (void)arg;
    sem_wait(&t);
    sem_post(&s);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    sem_wait(&s);
    sem_post(&t);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 0);
    sem_init(&t, 0, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
