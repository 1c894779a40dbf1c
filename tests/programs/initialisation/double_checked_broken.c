// Double-checked locking that raises the flag before it writes the value.
// Broken: A raises the flag; B sees it and reads value==0; A writes 42.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int value;

void *user(void *arg)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load(&ready)) {
            atomic_store(&ready, 1);
            value = 42;
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
    return 0;
}
