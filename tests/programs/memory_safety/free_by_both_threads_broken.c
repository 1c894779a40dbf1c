// Two threads free the same object.
// expect: valid-memsafety false
// expect: valid-free false
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    free(arg);
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
