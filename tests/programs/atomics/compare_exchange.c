// A multiply by compare-and-exchange loop: retried when the value changed in between.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int value = 1;

void *multiply(void *arg)
{
    int factor = (int)(long)arg;
    int seen = atomic_load(&value);
    while (!atomic_compare_exchange_strong(&value, &seen, seen * factor))
        ;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, multiply, (void *)3L);
    pthread_create(&b, 0, multiply, (void *)5L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(value == 15);
    return 0;
}
