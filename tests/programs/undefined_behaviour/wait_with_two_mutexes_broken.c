// Two threads wait on a condition variable at a time, with different mutexes.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_t *m = arg;
    pthread_mutex_lock(m);
    pthread_cond_wait(&c, m);
    pthread_mutex_unlock(m);
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, worker, &a);
    pthread_create(&u, 0, worker, &b);
    pthread_cond_broadcast(&c);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
