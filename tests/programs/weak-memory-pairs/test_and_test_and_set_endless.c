// A lock that is looked at before it is tried, taken again and again.
// expect: unreach-call true
// expect(tso,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int taken, inside;

void *thread(void *arg) {
    int me = arg != 0;
    for (;;) {
        do
            while (load(taken, relaxed))
                ;
        while (atomic_exchange_explicit(&taken, 1, memory_order_acquire));
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(taken, 0, release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
