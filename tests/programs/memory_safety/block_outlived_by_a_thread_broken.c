// A thread uses a variable of a block that its creator may have left.
// expect: valid-memsafety false
// expect: undefined-behaviour false
#include <pthread.h>

void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    {
        int x = 0;
        pthread_create(&t, 0, worker, &x);
    }
    pthread_join(t, 0);
    return 0;
}
