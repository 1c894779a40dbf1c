// First come, first served.
// expect: termination true
#include <pthread.h>
int next, serving, x;

static void critical(void)
{
    int mine = __sync_fetch_and_add(&next, 1);
    while (__atomic_load_n(&serving, __ATOMIC_SEQ_CST) != mine)
        ;
    x++;
    __sync_fetch_and_add(&serving, 1);
}

void *worker(void *arg)
{
    critical();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    critical();
    pthread_join(t, 0);
    return 0;
}
