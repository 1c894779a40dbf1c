// A thread unlocks a mutex on a path on which it has not locked it.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *worker(void *arg)
{
    if (arg)
        pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(&shared);
    pthread_join(t, 0);
    return 0;
}
