// Two waiters for one event, woken by a broadcast.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int open, passed;

void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!open)
        pthread_cond_wait(&opened, &mutex);
    passed++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(passed == 2);
    return 0;
}
