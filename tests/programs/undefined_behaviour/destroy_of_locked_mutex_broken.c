// A mutex is destroyed that another thread may hold.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_destroy(&m);
    pthread_join(t, 0);
    return 0;
}
