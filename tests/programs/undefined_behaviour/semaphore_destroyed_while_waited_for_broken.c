// A semaphore may be destroyed while a thread is blocked on it.
// expect: undefined-behaviour false
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *wait(void *unused)
{
    (void)unused;
    sem_wait(&s);
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, wait, 0);
    sem_destroy(&s);
    pthread_join(t, 0);
    return 0;
}
