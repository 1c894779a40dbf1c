// A thread that is cancelled in a routine of pthread_once: the routine counts as not having run, and the next caller runs it.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
_Atomic int first = 1;
int runs;

void init(void)
{
    if (first) {
        first = 0;
        for (;;)
            pthread_testcancel();
    }
    runs++;
}

void *worker(void *arg)
{
    pthread_once(&once, init);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, worker, 0);
    while (first)
        ;
    pthread_cancel(a);
    pthread_join(a, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_once(&once, init);
    assert(runs == 1);
    return 0;
}
