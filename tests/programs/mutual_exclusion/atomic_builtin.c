// A spinlock on GCC's __atomic builtins with acquire/release orders.
// Safe: the exchange admits one thread; the release store publishes its writes.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int busy, count;

void *visit(void *arg)
{
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
    count += 3;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 6);
    return 0;
}
