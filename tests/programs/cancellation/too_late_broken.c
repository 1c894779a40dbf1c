// A thread may be done before the request to cancel it comes.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

void *worker(void *arg)
{
    pthread_testcancel();
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
    return 0;
}
