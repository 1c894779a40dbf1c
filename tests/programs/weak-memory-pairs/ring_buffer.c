// A ring with one producer and one consumer: the head releases what was put, the tail releases the slot.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

int slots[1];
atomic_int head, tail;

void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        while (load(head, relaxed) - load(tail, acquire) == 1)
            ;
        slots[0] = i;
        store(head, i, release);
    }
    return 0;
}

void *consumer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        while (load(head, acquire) == i - 1)
            ;
        assert(slots[0] == i);
        store(tail, i, release);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
