// Each worker counts down, but any other one may set the number back again and again.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
unsigned char x = 2;

void *worker(void *arg)
{
    while (x > 0) {
        x--;
        if (x == 0)
            x = 2;
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
