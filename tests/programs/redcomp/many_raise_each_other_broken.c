// Each worker counts one number down and sets the other one back.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned char a = 3, b = 3;

void *worker(void *arg)
{
    while (a > 0) {
        __VERIFIER_atomic_begin();
        if (a > 0)
            a--;
        b = 3;
        __VERIFIER_atomic_end();
    }
    while (b > 0) {
        __VERIFIER_atomic_begin();
        if (b > 0)
            b--;
        a = 3;
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
