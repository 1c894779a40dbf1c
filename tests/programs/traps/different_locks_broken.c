// T-MUTEXCS: two critical sections under two different locks exclude nobody.
// Broken: first sets busy; second enters and finds it set.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
int busy;

void *first(void *arg)
{
    pthread_mutex_lock(&m1);
    busy = 1;
    busy = 0;
    pthread_mutex_unlock(&m1);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&m2);
    assert(busy == 0);
    pthread_mutex_unlock(&m2);
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
