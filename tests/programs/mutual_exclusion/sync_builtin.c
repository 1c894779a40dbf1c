// A spinlock on GCC's __sync builtins: lock_test_and_set / lock_release.
// Safe: the exchange returns 0 to one thread only until the lock is released.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int busy, inside;

void *visit(void *arg)
{
    while (__sync_lock_test_and_set(&busy, 1))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    __sync_lock_release(&busy);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
