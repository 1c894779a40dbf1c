// A function hands its variable to a thread, and returns without waiting for the thread.
// expect: valid-memsafety false
// expect: valid-deref false
#include <pthread.h>

pthread_t t;

void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

void start(void)
{
    int x = 0;
    pthread_create(&t, 0, worker, &x);
}

int main(void)
{
    start();
    pthread_join(t, 0);
    return 0;
}
