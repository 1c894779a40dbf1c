// pthread_mutex_trylock returns 0 on a free default mutex and EBUSY on a taken one, even to its owner.
// expect: unreach-call true
// expect: no-deadlock true
// expect: termination true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg)
{
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    return 0;
}

int main(void)
{
    pthread_t a;
    assert(pthread_mutex_trylock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_create(&a, 0, other, 0);
    pthread_join(a, 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
