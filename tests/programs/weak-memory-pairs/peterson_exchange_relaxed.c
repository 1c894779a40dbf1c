// Peterson's lock (1981), used once by each thread. The exchange of `turn` releases the own flag, and acquires the flag of the thread whose turn it
// overwrites. Here the exchange is relaxed: `turn` may become visible before the own flag.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int flag[2], turn, inside;

void lock(int me) {
    store(flag[me], 1, relaxed);
    atomic_exchange_explicit(&turn, 1 - me, memory_order_relaxed);
    while (load(flag[1 - me], acquire) && load(turn, acquire) == 1 - me)
        ;
}

void unlock(int me) {
    store(flag[me], 0, release);
}

void *thread(void *arg) {
    int me = arg != 0;
    lock(me);
    store(inside, me, relaxed);
    assert(load(inside, relaxed) == me);
    unlock(me);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
