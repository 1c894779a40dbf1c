// Two owners of a robust mutex end one after the other; each successor is told, also one that was already waiting.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
int deaths;

void *dies(void *arg)
{
    int error = pthread_mutex_lock(&mutex);
    assert(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD) {
        deaths++;
        pthread_mutex_consistent(&mutex);
    }
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
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(deaths == 1);
    return 0;
}
