// A handler that is popped with 0 does not run.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int runs;

void handler(void *arg)
{
    runs++;
}

int main(void)
{
    pthread_cleanup_push(handler, 0);
    pthread_cleanup_pop(0);
    assert(runs == 1);
    return 0;
}
