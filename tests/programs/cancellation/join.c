// A thread that waits for another one's end is cancelled there, and the other one can be joined afterwards.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t go;
pthread_t slow;

void *wait_for_go(void *arg)
{
    sem_wait(&go);
    return (void *)5;
}

void *join_slow(void *arg)
{
    pthread_join(slow, 0);
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    sem_init(&go, 0, 0);
    pthread_create(&slow, 0, wait_for_go, 0);
    pthread_create(&a, 0, join_slow, 0);
    pthread_cancel(a);
    pthread_join(a, &result);
    assert(result == PTHREAD_CANCELED);
    sem_post(&go);
    assert(pthread_join(slow, &result) == 0);
    assert(result == (void *)5);
    return 0;
}
