// The main thread ends by pthread_exit while a thread uses its variable.
// expect: valid-memsafety false
// expect: valid-deref false
#include <pthread.h>

void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    int x = 0;
    pthread_create(&t, 0, worker, &x);
    pthread_exit(0);
}
