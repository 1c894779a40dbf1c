// With the deferred type a thread without cancellation points is not cancelled.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

_Atomic int left, right;

void *worker(void *arg)
{
    left = 1;
    right = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, &result);
    assert(left == 1 && right == 1 && result == 0);
    return 0;
}
