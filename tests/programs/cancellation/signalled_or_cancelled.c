// A waiter that is signalled and cancelled at once returns, or is cancelled: never stuck.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready;

void unlock(void *arg)
{
    pthread_mutex_unlock(&mutex);
}

void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, 0);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_cancel(a);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, &result);
    assert(result == 0 || result == PTHREAD_CANCELED);
    return 0;
}
