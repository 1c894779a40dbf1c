/* Main joins a handle that another thread has not stored yet: the join fails at once and orders nothing. A proof that takes
 * every join of this handle for the end of its thread would be wrong. */
// expect: no-data-race false
#include <pthread.h>

int x;
pthread_t inner;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    (void)arg;
    x = 1;
    return 0;
}

void *creator(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_create(&inner, 0, worker, 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t outer, copy;
    pthread_create(&outer, 0, creator, 0);
    pthread_mutex_lock(&m);
    copy = inner;
    pthread_mutex_unlock(&m);
    pthread_join(copy, 0);
    x = 2;
    pthread_join(outer, 0);
    return 0;
}
