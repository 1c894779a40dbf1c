// A worker may take a lock that it holds already.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int())
        pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
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
