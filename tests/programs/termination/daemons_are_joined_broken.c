// Workers run for ever, and the main thread waits for the last one of them.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);

void *worker(void *arg)
{
    while (1)
        ;
}

int main(void)
{
    pthread_t t;
    do
        pthread_create(&t, 0, worker, 0);
    while (__VERIFIER_nondet_bool());
    pthread_join(t, 0);
    return 0;
}
