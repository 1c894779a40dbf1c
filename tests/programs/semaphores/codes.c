// sem_trywait and sem_getvalue in one thread, and a semaphore as an event between two.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t event;
int message;

void *sender(void *arg)
{
    message = 42;
    sem_post(&event);
    return 0;
}

int main(void)
{
    pthread_t a;
    int value = -1;
    assert(sem_init(&event, 0, 1) == 0);
    assert(sem_trywait(&event) == 0);
    assert(sem_trywait(&event) == -1);
    assert(sem_getvalue(&event, &value) == 0);
    assert(value == 0);
    pthread_create(&a, 0, sender, 0);
    assert(sem_wait(&event) == 0);
    assert(message == 42);
    pthread_join(a, 0);
    assert(sem_destroy(&event) == 0);
    return 0;
}
