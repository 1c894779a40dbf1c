// With the asynchronous type a thread is cancelled between any two steps.
// explore: unknown
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

_Atomic int left, right;

void *worker(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    left = 1;
    right = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    assert(left == right);
    return 0;
}
