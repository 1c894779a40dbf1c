// The same, but main waits for it.
// expect: termination false
#include <pthread.h>
_Atomic int x;

void *worker(void *arg)
{
    while (1)
        x = 1 - x;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
