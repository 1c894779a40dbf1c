// The queue lock of Mellor-Crummey and Scott, taken again and again.
// expect: unreach-call true
// expect(c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

struct {
    atomic_int next, locked;
} node[3];
atomic_int tail, inside;

void *thread(void *arg) {
    int me = 1 + (arg != 0);
    for (;;) {
        store(node[me].next, 0, relaxed);
        store(node[me].locked, 1, relaxed);
        int previous = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
        if (previous) {
            store(node[previous].next, me, release);
            while (load(node[me].locked, acquire))
                ;
        }
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        int expected = me;
        if (!load(node[me].next, acquire)) {
            if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release, memory_order_relaxed))
                continue;
            while (!load(node[me].next, acquire))
                ;
        }
        store(node[load(node[me].next, acquire)].locked, 0, release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
