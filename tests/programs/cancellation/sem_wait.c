// A thread that waits for a semaphore that nobody posts is freed by its cancellation.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t never;

void *worker(void *arg)
{
    sem_wait(&never);
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
