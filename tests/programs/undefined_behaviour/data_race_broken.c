// Two threads increment a variable without a lock: a data race is undefined.
// expect: undefined-behaviour false
// expect: no-data-race false
// expect: valid-memsafety true
#include <pthread.h>

int x;

void *worker(void *arg)
{
    x++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
