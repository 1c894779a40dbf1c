// Two threads that take EOWNERDEAD for a failure to lock, and end without giving the mutex back.
// expect: unreach-call false
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;

void *dies(void *arg)
{
    int error = pthread_mutex_lock(&mutex);
    assert(error == 0);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&a, 0, dies, 0);
    pthread_create(&b, 0, dies, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
