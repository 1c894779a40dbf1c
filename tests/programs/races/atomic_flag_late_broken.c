/* The data is written after the flag that publishes it. */
// expect: no-data-race false
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *first(void *arg)
{
    (void)arg;
    atomic_store(&ready, 1);
    data = 42;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    if (atomic_load(&ready) && data != 42)
        return arg;
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
