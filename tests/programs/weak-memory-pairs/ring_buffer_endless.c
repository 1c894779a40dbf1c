// A ring with one producer and one consumer, used for ever.
// expect: unreach-call true
// expect(tso): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

int slots[2];
atomic_int head, tail; // modulo 4

void *producer(void *arg) {
    int h = 0;
    for (;;) {
        while (((h - load(tail, acquire)) & 3) == 2)
            ;
        slots[h & 1] = h;
        h = (h + 1) & 3;
        store(head, h, release);
    }
}

void *consumer(void *arg) {
    int t = 0;
    for (;;) {
        while (load(head, acquire) == t)
            ;
        assert(slots[t & 1] == t);
        t = (t + 1) & 3;
        store(tail, t, release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
