// Szymanski's lock (1988) for two threads that enter once, with sequentially consistent accesses.
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
    int other = 1 - me;
    store(flag[me], 1, seq_cst);
    while (load(flag[other], seq_cst) >= 3)
        ;
    store(flag[me], 3, seq_cst);
    if (load(flag[other], seq_cst) == 1) {
        store(flag[me], 2, seq_cst);
        while (load(flag[other], seq_cst) != 4)
            ;
    }
    store(flag[me], 4, seq_cst);
    while (other < me && load(flag[other], seq_cst) >= 2)
        ;
}

void unlock(int me) {
    int other = 1 - me;
    int theirs;
    do
        theirs = load(flag[other], seq_cst);
    while (me < other && theirs >= 2 && theirs <= 3);
    store(flag[me], 0, seq_cst);
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
