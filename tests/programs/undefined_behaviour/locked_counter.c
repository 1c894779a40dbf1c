// Two threads increment a variable under a lock.
// expect: undefined-behaviour true
// expect: no-data-race true
// expect: valid-memsafety true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
