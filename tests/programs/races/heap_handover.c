/* A heap object is filled before it is given to the thread, and freed after the join. */
// expect: no-data-race true
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    int *p = arg;
    *p = *p + 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&t, 0, worker, p);
    pthread_join(t, 0);
    int result = *p;
    free(p);
    return result;
}
