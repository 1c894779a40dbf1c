// The owner of a robust mutex ends before the waiter on a condition variable gets it back: the wait says so.
// expect: unreach-call true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready;

void *dies(void *arg)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t attr;
    int error = 0;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutex_lock(&mutex);
    pthread_create(&a, 0, dies, 0);
    while (!ready) {
        error = pthread_cond_wait(&cond, &mutex);
        assert(error == 0 || error == EOWNERDEAD);
    }
    assert(error == EOWNERDEAD);
    return 0;
}
