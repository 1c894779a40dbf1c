// Every worker creates another one, for ever.
// expect: termination false
// explore: unknown
#include <pthread.h>

void *worker(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
