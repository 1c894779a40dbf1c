// Three philosophers, forks taken left first.
// expect: termination false
#include <pthread.h>
pthread_mutex_t fork0 = PTHREAD_MUTEX_INITIALIZER, fork1 = PTHREAD_MUTEX_INITIALIZER,
                fork2 = PTHREAD_MUTEX_INITIALIZER;

static void eat(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

void *one(void *arg)
{
    eat(&fork0, &fork1);
    return arg;
}

void *two(void *arg)
{
    eat(&fork1, &fork2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    eat(&fork2, &fork0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
