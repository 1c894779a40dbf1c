// A thread that is cancelled acts on it at pthread_testcancel; who joins it gets PTHREAD_CANCELED.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int cleaned;

void handler(void *arg)
{
    cleaned = 1;
}

void *worker(void *arg)
{
    pthread_cleanup_push(handler, 0);
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, worker, 0);
    assert(pthread_cancel(a) == 0);
    assert(pthread_join(a, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    assert(cleaned);
    return 0;
}
