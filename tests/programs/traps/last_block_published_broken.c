// T-TERMLOC: the last block of a thread ends at a location without successors; its writes must be published.
// Broken: first's section comes before second's.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *first(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_unlock(&m);
    assert(seen == 0);
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
