// Two locks taken in opposite orders, but both under a third (a gate): the cycle in the lock order is harmless.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int x;

void *forward(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    x++;
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&gate);
    return 0;
}

void *backward(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&gate);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, forward, 0);
    pthread_create(&b, 0, backward, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
