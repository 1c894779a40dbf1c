/* A recursive mutex that was locked twice and unlocked once stays locked. */
// expect: no-deadlock false
#include <pthread.h>

pthread_mutex_t m;

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    return 0;
}
