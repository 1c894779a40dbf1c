// A thread returns an object that the joiner frees.
// expect: valid-memsafety true
// expect: valid-memcleanup true
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    int *p = malloc(sizeof *p);
    *p = (int)(long)arg;
    return p;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, worker, (void *)5);
    pthread_join(t, &result);
    int value = *(int *)result;
    free(result);
    return value != 5;
}
