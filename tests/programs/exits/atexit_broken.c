// Functions registered by atexit run when main returns, although threads are left that they may not expect.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

_Atomic int done;

void at_end(void)
{
    assert(done == 1);
}

void *worker(void *arg)
{
    done = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    atexit(at_end);
    pthread_create(&a, 0, worker, 0);
    return 0;
}
