/* Writers lock for writing, readers for reading. */
// expect: no-data-race true
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, sum;

void *first(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    sum = x;
    pthread_rwlock_unlock(&lock);
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
