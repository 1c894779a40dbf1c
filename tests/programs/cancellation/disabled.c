// A thread that has disabled cancellation goes on; the request stays until it enables it again.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t ready, requested;
int passed, not_passed = 1;

void *worker(void *arg)
{
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    sem_post(&ready);
    sem_wait(&requested);
    pthread_testcancel();
    passed = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    not_passed = 0;
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    sem_init(&ready, 0, 0);
    sem_init(&requested, 0, 0);
    pthread_create(&a, 0, worker, 0);
    sem_wait(&ready);
    pthread_cancel(a);
    sem_post(&requested);
    pthread_join(a, &result);
    assert(passed && not_passed && result == PTHREAD_CANCELED);
    return 0;
}
