// Initialisation by whoever comes first; the others wait. Here the object may be read before it is known to be complete.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int state;
int object;

void *thread(void *arg) {
    int none = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &none, 1, memory_order_relaxed, memory_order_relaxed)) {
        object = 1;
        store(state, 2, release);
    } else {
        while (load(state, relaxed) != 2)
            ;
    }
    assert(object == 1);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
