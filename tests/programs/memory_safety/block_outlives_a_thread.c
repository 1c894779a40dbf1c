// A thread is joined in the block whose variable it uses.
// expect: valid-memsafety true
// expect: undefined-behaviour true
#include <pthread.h>

void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        int x = 0;
        pthread_create(&t, 0, worker, &x);
        pthread_join(t, 0);
    }
    return 0;
}
