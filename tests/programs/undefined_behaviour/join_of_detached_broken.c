// A detached thread is joined.
// expect: undefined-behaviour false
#include <pthread.h>

void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_detach(t);
    pthread_join(t, 0);
    return 0;
}
