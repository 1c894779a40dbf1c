// A cleanup handler runs when it is popped with a non-zero argument, and otherwise not, as long as the thread is not cancelled and
// does not call pthread_exit.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int runs;

void handler(void *arg)
{
    runs += *(int *)arg;
}

void *worker(void *arg)
{
    int one = 1, ten = 10;
    pthread_cleanup_push(handler, &one);
    pthread_cleanup_push(handler, &ten);
    assert(runs == 0);
    pthread_cleanup_pop(0);
    assert(runs == 0);
    pthread_cleanup_pop(1);
    assert(runs == 1);
    return arg;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(runs == 1);
    return 0;
}
