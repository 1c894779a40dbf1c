// Sleeping is a cancellation point; thread-specific data are destroyed when the thread is cancelled.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

pthread_key_t key;
int destroyed;

void destructor(void *value)
{
    destroyed = 1;
}

void *worker(void *arg)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    pthread_setspecific(key, &key);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    for (;;)
        sleep(1);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_key_create(&key, destructor);
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    assert(destroyed);
    return 0;
}
