/* A recursive mutex stays locked after the inner unlock. */
// expect: no-data-race true
#include <pthread.h>

int x;
pthread_mutex_t m;

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++;
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
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
