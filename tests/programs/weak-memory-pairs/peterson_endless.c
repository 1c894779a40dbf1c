// Peterson's lock with an exchange and a fence, taken again and again.
// expect: unreach-call true
// expect(tso,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int flag[2], turn, inside;

void *thread(void *arg) {
    int me = arg != 0, you = 1 - me;
    for (;;) {
        store(flag[me], 1, relaxed);
        atomic_exchange_explicit(&turn, you, memory_order_acq_rel);
        fence(seq_cst);
        while (load(flag[you], acquire) && load(turn, acquire) == you)
            ;
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(flag[me], 0, release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
