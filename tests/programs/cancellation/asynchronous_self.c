// A thread of the asynchronous type that cancels itself does nothing more, nor does one that becomes asynchronous with a request pending.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static int first, second;

static void *cancels_itself(void *unused)
{
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    pthread_cancel(pthread_self());
    first = 1;
    return unused;
}

static void *becomes_asynchronous(void *unused)
{
    pthread_cancel(pthread_self());
    second = 1;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    second = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, cancels_itself, 0);
    pthread_join(thread, &result);
    assert(first == 0 && result == PTHREAD_CANCELED);
    pthread_create(&thread, 0, becomes_asynchronous, 0);
    pthread_join(thread, &result);
    assert(second == 1 && result == PTHREAD_CANCELED);
    return 0;
}
