// Double-checked locking with a plain flag: the first test is outside the lock.
// The assertions hold under sequential consistency, but the flag (and with it the value) is a data race in C.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready, value, times;

void *user(void *arg)
{
    if (!ready) {
        pthread_mutex_lock(&mutex);
        if (!ready) {
            value = 42;
            times++;
            ready = 1;
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
