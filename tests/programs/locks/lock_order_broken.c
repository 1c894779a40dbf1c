// Two locks taken in opposite orders.
// Deadlocks: A holds m and waits for n, B holds n and waits for m. The assertions hold all the same.
// expect: no-deadlock false
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int x;

void *forward(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    x = 1;
    assert(x == 1);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return 0;
}

void *backward(void *arg)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    x = 2;
    assert(x == 2);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, forward, 0);
    pthread_create(&b, 0, backward, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
