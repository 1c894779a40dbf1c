// Two readers can hold a pthread_rwlock at the same time.
// The assertion claims that they cannot: A takes the lock and sets a; B takes it too and sees a set.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_int a;

void *first(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    a = 1;
    a = 0;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *second(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(a == 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t r1, r2;
    pthread_create(&r1, 0, first, 0);
    pthread_create(&r2, 0, second, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    return 0;
}
