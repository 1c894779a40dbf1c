// A thread joins another that waits for it through a mutex.
// Deadlocks when main takes the mutex before the worker does: it joins while it holds what the worker needs.
// expect: no-deadlock false
// expect: unreach-call true
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
    pthread_create(&a, 0, worker, 0);
    pthread_mutex_lock(&mutex);
    pthread_join(a, 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
