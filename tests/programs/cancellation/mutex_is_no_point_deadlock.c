// pthread_mutex_lock is no cancellation point: a thread blocked there stays blocked.
// expect: unreach-call true
// expect: no-deadlock false
// expect: no-data-race true
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutex_lock(&mutex);
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    return 0;
}
