// The main thread creates workers for ever; each of them ends.
// expect: termination false
// explore: unknown
#include <pthread.h>

void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        ;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
