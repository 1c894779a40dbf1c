// A thread returns an object, and the joiner does not look at it.
// expect: valid-memsafety false
// expect: valid-memtrack false
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
    pthread_create(&t, 0, worker, (void *)5);
    pthread_join(t, 0);
    return 0;
}
