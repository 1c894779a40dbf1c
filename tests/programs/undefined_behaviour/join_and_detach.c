// One thread is joined, the other detached, each once.
// expect: undefined-behaviour true
#include <pthread.h>

int x;

void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_detach(u);
    pthread_join(t, 0);
    return 0;
}
