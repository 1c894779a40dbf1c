// Mutex and condition variable are destroyed when no thread uses them any longer.
// expect: undefined-behaviour true
#include <pthread.h>

pthread_mutex_t m;
pthread_cond_t c;
int ready;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_cond_init(&c, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_cond_destroy(&c);
    pthread_mutex_destroy(&m);
    return 0;
}
