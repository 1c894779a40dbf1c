// A destructor that sets its value again is called PTHREAD_DESTRUCTOR_ITERATIONS times, and no more.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <limits.h>
#include <pthread.h>

pthread_key_t key, unused;
int calls;

void again(void *value)
{
    calls++;
    pthread_setspecific(key, value);
}
void never(void *value)
{
    assert(0);
}

void *worker(void *arg)
{
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, &calls);
    assert(pthread_getspecific(key) == &calls);
    return 0;
}

int main(void)
{
    pthread_t a;
    assert(pthread_key_create(&key, again) == 0);
    assert(pthread_key_create(&unused, never) == 0);
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(calls == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
