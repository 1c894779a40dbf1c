// A thread detaches itself, and its creator does so, too.
// expect: undefined-behaviour false
#include <pthread.h>

void *worker(void *arg)
{
    pthread_detach(pthread_self());
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_detach(t);
    return 0;
}
