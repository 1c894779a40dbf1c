// Burns' lock (1981) for two threads that enter once: the first has precedence, the second takes its flag back.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int flag[2], inside;

void lock(int me) {
    if (me == 0) {
        store(flag[0], 1, relaxed);
        fence(seq_cst);
        while (load(flag[1], acquire))
            ;
        return;
    }
    do {
        store(flag[1], 0, relaxed);
        while (load(flag[0], acquire))
            ;
        store(flag[1], 1, relaxed);
        fence(seq_cst);
    } while (load(flag[0], acquire));
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
