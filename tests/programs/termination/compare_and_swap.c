// A retry loop: whoever fails, another one has succeeded.
// expect: termination true
#include <pthread.h>
int x;

static void increment(void)
{
    int old;
    do
        old = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
    while (!__sync_bool_compare_and_swap(&x, old, old + 1));
}

void *worker(void *arg)
{
    increment();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    increment();
    pthread_join(t, 0);
    return 0;
}
