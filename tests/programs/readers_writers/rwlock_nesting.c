// Nested read locks and the try variants of pthread_rwlock, by one thread: the return codes are determined.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void)
{
    pthread_rwlock_t lock;
    assert(pthread_rwlock_init(&lock, 0) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
