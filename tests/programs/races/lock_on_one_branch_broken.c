/* Only one branch takes the mutex. */
// expect: no-data-race false
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    (void)arg;
    _Bool take = __VERIFIER_nondet_bool();
    if (take)
        pthread_mutex_lock(&m);
    x++;
    if (take)
        pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    x++;
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
