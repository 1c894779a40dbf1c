// A lock that waits with loads until it seems free, and then tries to take it.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int locked, count;

void *thread(void *arg) {
    do
        while (load(locked, relaxed))
            ;
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire));
    store(count, load(count, relaxed) + 1, relaxed);
    store(locked, 0, release);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(load(count, relaxed) == 2);
}
