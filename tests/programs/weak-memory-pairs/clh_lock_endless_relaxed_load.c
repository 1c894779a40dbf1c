// The same, where waiting does not acquire.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int locked[3], tail = 2, inside;

void *thread(void *arg) {
    int me = arg != 0, mine = me;
    for (;;) {
        store(locked[mine], 1, relaxed);
        int previous = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (load(locked[previous], relaxed))
            ;
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(locked[mine], 0, release);
        mine = previous;
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
