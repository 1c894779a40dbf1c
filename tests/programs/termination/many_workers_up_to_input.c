// Workers count up to an input, itself included: they end unless a number overflows.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int most;

void *worker(void *arg)
{
    for (int i = 0; i <= most; i++)
        ;
    return 0;
}

int main(void)
{
    pthread_t t;
    most = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
