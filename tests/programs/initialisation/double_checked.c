// Double-checked locking with an atomic flag: the second test is under the lock.
// Safe: the value is written once, before the flag; the flag publishes it.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int value, times;

void *user(void *arg)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load(&ready)) {
            value = 42;
            times++;
            atomic_store(&ready, 1);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(value == 42);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(times == 1);
    return 0;
}
