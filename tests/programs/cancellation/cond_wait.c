// A waiter on a condition variable that is cancelled has the mutex again when its cleanup handlers run.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int cleaned;

void handler(void *arg)
{
    assert(pthread_mutex_trylock(&mutex) != 0);
    cleaned = 1;
    pthread_mutex_unlock(&mutex);
}

void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(handler, 0);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&mutex);
    assert(cleaned);
    pthread_mutex_unlock(&mutex);
    return 0;
}
