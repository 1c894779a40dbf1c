// Workers run for ever, and the main thread waits for one of them.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
unsigned char x;

void *worker(void *arg)
{
    while (1)
        x++;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        n = 1;
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
