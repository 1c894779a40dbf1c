// T-FOREIGNUNLOCK: second unlocks the mutex that first holds (a normal mutex lets it), and third enters.
// Broken: first sets busy, second unlocks, third locks and finds busy set.
// Deadlocks too: second comes before held is set, then nobody lets third in.
// expect: unreach-call false
// expect: no-deadlock false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int held, busy;

void *first(void *arg)
{
    pthread_mutex_lock(&m);
    held = 1;
    busy = 1;
    busy = 0;
    return 0;
}

void *second(void *arg)
{
    if (held)
        pthread_mutex_unlock(&m);
    return 0;
}

void *third(void *arg)
{
    pthread_mutex_lock(&m);
    assert(busy == 0);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
