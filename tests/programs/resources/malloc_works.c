// Without an option that says otherwise, allocations and the creation of threads do not fail.
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t a;
    int *p = malloc(sizeof *p);
    assert(p);
    assert(pthread_create(&a, 0, worker, 0) == 0);
    pthread_join(a, 0);
    free(p);
    return 0;
}
