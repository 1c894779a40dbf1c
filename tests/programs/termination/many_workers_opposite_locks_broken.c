// Workers of two kinds take two locks in opposite orders.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *other(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_create(&t, 0, one, 0);
        pthread_create(&t, 0, other, 0);
    }
    pthread_exit(0);
}
