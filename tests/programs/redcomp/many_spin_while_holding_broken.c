// Whoever waits for the flag holds the lock that is needed to set it: the one who sets it comes to rest before, in the middle of its block.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
_Bool go;

void *setter(void *arg)
{
    pthread_mutex_lock(&k);
    pthread_mutex_lock(&m);
    go = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&k);
    return 0;
}

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    while (!go)
        ;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
