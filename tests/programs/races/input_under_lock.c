/* Unbounded inputs do not matter for a lock that is always held. */
// expect: no-data-race true
// explore: unknown
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    (void)arg;
    int n = __VERIFIER_nondet_int();
    while (n-- > 0) {
        pthread_mutex_lock(&m);
        x += n;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    x = __VERIFIER_nondet_int();
    pthread_mutex_unlock(&m);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
