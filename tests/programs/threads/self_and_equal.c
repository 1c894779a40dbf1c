// pthread_self is the handle that the creator got; different threads have different handles.
// expect: unreach-call true
// expect: no-deadlock true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_t seen;

void *worker(void *arg)
{
    seen = pthread_self();
    assert(!pthread_equal(seen, *(pthread_t *)arg));
    return 0;
}

int main(void)
{
    pthread_t me = pthread_self(), a;
    pthread_create(&a, 0, worker, &me);
    pthread_join(a, 0);
    assert(pthread_equal(seen, a));
    assert(pthread_equal(me, pthread_self()));
    return 0;
}
