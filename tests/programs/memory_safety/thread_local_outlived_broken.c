// A thread publishes the address of its thread-local variable and ends.
// expect: valid-memsafety false
// expect: valid-deref false
#include <pthread.h>

_Thread_local int mine;
int *shared;

void *worker(void *arg)
{
    (void)arg;
    shared = &mine;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return *shared;
}
