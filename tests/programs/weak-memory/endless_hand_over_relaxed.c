// As endless_hand_over.c, but the producer does not release: the consumer may see the flag before the data.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,c11): unreach-call false
// expect(c11): no-data-race false
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
        atomic_store_explicit(&full, 1, memory_order_relaxed);
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
