// A condition variable may be destroyed as soon as all waiters were woken (POSIX, pthread_cond_destroy).
// expect: undefined-behaviour true
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, ready;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    if (waiting) {
        pthread_cond_broadcast(&c);
        pthread_cond_destroy(&c);
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
