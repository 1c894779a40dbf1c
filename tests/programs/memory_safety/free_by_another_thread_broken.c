// A thread uses an object that the main thread frees without waiting for it.
// expect: valid-memsafety false
// expect: valid-deref false
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    int *p = arg;
    *p = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    int *p = malloc(sizeof *p);
    pthread_create(&t, 0, worker, p);
    free(p);
    pthread_join(t, 0);
    return 0;
}
