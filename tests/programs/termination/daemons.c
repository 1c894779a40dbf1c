// Workers run for ever, but the main thread returns, which ends them.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned x;

void *worker(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
