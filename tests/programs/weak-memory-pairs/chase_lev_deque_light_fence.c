// The deque of Chase and Lev (2005) with the orders of Le et al. (PPoPP 2013): the owner takes one of two elements while a thief steals. A light
// fence does not order the store of `bottom` and the load of `top`.
// expect: unreach-call true
// expect(arm): unreach-call true
// expect(tso,pso,rmo,power,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int top, bottom = 2;
atomic_int taken[2];

void *owner(void *arg) {
    int b = load(bottom, relaxed) - 1;
    store(bottom, b, relaxed);
    fence(acq_rel);
    int t = load(top, relaxed);
    if (t < b)
        assert(atomic_fetch_add_explicit(&taken[1], 1, memory_order_relaxed) == 0);
    return 0;
}

void *thief(void *arg) {
    for (int i = 0; i < 2; i++) {
        int t = load(top, acquire);
        fence(seq_cst);
        int b = load(bottom, acquire);
        if (t < b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            assert(atomic_fetch_add_explicit(&taken[t], 1, memory_order_relaxed) == 0);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, owner, 0);
    pthread_create(&t, 0, thief, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
