// A thread of the asynchronous type is cancelled even while it waits for a mutex.
// expect: no-deadlock true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *victim(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, victim, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_unlock(&mutex);
    return 0;
}
