// Nobody waits for the detached thread.
// Broken: main reads x before the thread has written it.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_detach(a);
    assert(x == 1);
    return 0;
}
