// T-HANDOVER: a mutex that is locked at the start and released by another thread; "locked" is not "mine".
// Broken: second unlocks it, third locks it and writes 2, first (which holds nothing) writes 1 before third's check.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *first(void *arg)
{
    x = 1;
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_unlock(&m);
    return 0;
}

void *third(void *arg)
{
    pthread_mutex_lock(&m);
    x = 2;
    assert(x == 2);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
