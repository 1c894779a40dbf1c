// The main thread joins a worker while it holds the lock that all workers need.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        n = 1;
    pthread_mutex_lock(&m);
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    pthread_mutex_unlock(&m);
    return 0;
}
