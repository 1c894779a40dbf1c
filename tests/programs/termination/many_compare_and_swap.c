// Any number of workers count one number down without a lock.
// expect: termination true
// explore: unknown
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
atomic_uint left = 100;

void *worker(void *arg)
{
    for (;;) {
        unsigned seen = atomic_load(&left);
        if (seen == 0)
            return 0;
        atomic_compare_exchange_strong(&left, &seen, seen - 1);
    }
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
