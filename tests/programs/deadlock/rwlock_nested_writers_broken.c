/* Each thread reads one lock and waits to write the other. */
// expect: no-deadlock false
#include <pthread.h>

pthread_rwlock_t p = PTHREAD_RWLOCK_INITIALIZER, q = PTHREAD_RWLOCK_INITIALIZER;

void *first(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&p);
    pthread_rwlock_wrlock(&q);
    pthread_rwlock_unlock(&q);
    pthread_rwlock_unlock(&p);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&q);
    pthread_rwlock_wrlock(&p);
    pthread_rwlock_unlock(&p);
    pthread_rwlock_unlock(&q);
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
