// A compare-and-exchange that is tried once.
// Broken: both load 1; the first swaps; the second's swap fails and its factor is lost.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int value = 1;

void *multiply(void *arg)
{
    int factor = (int)(long)arg;
    int seen = atomic_load(&value);
    atomic_compare_exchange_strong(&value, &seen, seen * factor);
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
