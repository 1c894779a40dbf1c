// A semaphore is destroyed after the last use of it, and initialised again.
// expect: undefined-behaviour true
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *post(void *unused)
{
    (void)unused;
    sem_post(&s);
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, post, 0);
    sem_wait(&s);
    pthread_join(t, 0);
    sem_destroy(&s);
    sem_init(&s, 0, 1);
    sem_wait(&s);
    sem_destroy(&s);
    return 0;
}
