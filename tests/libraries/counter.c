// A counter behind a lock of its own: every access to it is under the lock, whoever calls.
//
// expect: no-data-race true
// options: --clients any --assume no-undefined-behaviour
#include <pthread.h>
#include <stdlib.h>

struct counter {
    pthread_mutex_t lock;
    unsigned value;
};

struct counter *counter_new(void)
{
    struct counter *counter = malloc(sizeof *counter);
    if (!counter) return 0;
    pthread_mutex_init(&counter->lock, 0);
    counter->value = 0;
    return counter;
}

void counter_add(struct counter *counter, unsigned amount)
{
    pthread_mutex_lock(&counter->lock);
    counter->value += amount;
    pthread_mutex_unlock(&counter->lock);
}

unsigned counter_get(struct counter *counter)
{
    pthread_mutex_lock(&counter->lock);
    unsigned value = counter->value;
    pthread_mutex_unlock(&counter->lock);
    return value;
}

void counter_free(struct counter *counter)
{
    pthread_mutex_destroy(&counter->lock);
    free(counter);
}
