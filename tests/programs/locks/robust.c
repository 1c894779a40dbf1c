// A robust mutex whose owner ended: the next owner is told, makes the state consistent, and the mutex works again.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
int half_done;

void *dies(void *arg)
{
    pthread_mutex_lock(&mutex);
    half_done = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t attr;
    int robust = -1;
    pthread_mutexattr_init(&attr);
    assert(pthread_mutexattr_getrobust(&attr, &robust) == 0 && robust == PTHREAD_MUTEX_STALLED);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutexattr_getrobust(&attr, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&a, 0, dies, 0);
    pthread_join(a, 0);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(half_done == 1);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
