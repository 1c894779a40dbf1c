// A ticket lock: drawing a ticket needs no order, being served acquires, serving the next one releases. Here the count may be read before the thread
// is served.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int next, serving, count;

void *thread(void *arg) {
    int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (load(serving, relaxed) != ticket)
        ;
    store(count, load(count, relaxed) + 1, relaxed);
    store(serving, ticket + 1, release);
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
