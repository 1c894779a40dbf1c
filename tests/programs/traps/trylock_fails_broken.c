// T-TRYLOCK: taking a lock does not commute with a trylock that fails because of it.
// Broken: first holds m when second tries.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *arg)
{
    if (pthread_mutex_trylock(&m) != 0)
        assert(0);
    else
        pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
