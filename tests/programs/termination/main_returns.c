// The program ends with main, although the other thread never would.
// expect: termination true
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
    return 0;
}
