// A detached thread that tells by a semaphore that it is done; joining is not needed.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t done;
int x;

void *worker(void *arg)
{
    x = 1;
    sem_post(&done);
    return 0;
}

int main(void)
{
    pthread_t a;
    sem_init(&done, 0, 0);
    assert(pthread_create(&a, 0, worker, 0) == 0);
    assert(pthread_detach(a) == 0);
    sem_wait(&done);
    assert(x == 1);
    return 0;
}
