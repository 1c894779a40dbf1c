// A read lock and a mutex taken in opposite orders by two threads, the second of which wants to write.
// Deadlocks: A holds the read lock and waits for m; B holds m and waits for the write lock, which A's read
// lock keeps from it.
// expect: no-deadlock false
// expect: unreach-call true
// expect: no-data-race true
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
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
