// Data is handed over and back for ever, by release stores and acquire loads: no execution under C11 differs from a sequentially consistent one.
// expect: unreach-call true
// expect(tso,pso,c11): unreach-call true
// expect(c11): no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int full;
int data;

void *producer(void *arg) {
    while (1) {
        while (atomic_load_explicit(&full, memory_order_acquire))
            ;
        data = 1 - data;
        atomic_store_explicit(&full, 1, memory_order_release);
    }
}

void *consumer(void *arg) {
    int expected = 0;
    while (1) {
        while (!atomic_load_explicit(&full, memory_order_acquire))
            ;
        expected = 1 - expected;
        assert(data == expected);
        atomic_store_explicit(&full, 0, memory_order_release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
