// A function hands its variable to a thread, and waits for the thread.
// expect: valid-memsafety true
// expect: no-data-race true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

void start(void)
{
    pthread_t t;
    int x = 0;
    pthread_create(&t, 0, worker, &x);
    pthread_join(t, 0);
    assert(x == 1);
}

int main(void)
{
    start();
    return 0;
}
