// A thread is joined twice.
// expect: undefined-behaviour false
// expect: unreach-call true
#include <pthread.h>

void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(t, 0);
    return 0;
}
