/* The pointer to the mutex is set to another mutex between the two threads. */
// expect: no-data-race false
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_t *p = arg;
    pthread_mutex_lock(p);
    x++;
    pthread_mutex_unlock(p);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, &m);
    pthread_create(&b, 0, worker, &n);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
