// Workers take from one number, and each refills it when it is used up: they can go on for ever.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned left = 3;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        __VERIFIER_atomic_begin();
        if (left > 1)
            left--;
        else if (left == 1)
            left = 3;
        else
            go_on = 0;
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
