// pthread_once runs its function once, and every caller returns after that run is complete.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
int runs;

void initialise(void)
{
    runs++;
}

void *user(void *arg)
{
    assert(pthread_once(&control, initialise) == 0);
    assert(runs == 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pthread_once(&control, initialise) == 0);
    assert(runs == 1);
    return 0;
}
