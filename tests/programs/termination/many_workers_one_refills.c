// Workers take from one number, which the main thread refills while it creates them: finitely often.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned left;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        __VERIFIER_atomic_begin();
        if (left > 0)
            left--;
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
    while (n > 0) {
        left = 100;
        pthread_create(&t, 0, worker, 0);
        n--;
    }
    pthread_exit(0);
}
