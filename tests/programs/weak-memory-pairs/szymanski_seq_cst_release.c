// Szymanski's lock (1988) for two threads that enter once, with sequentially consistent accesses. With release and acquire, a thread reads the
// other's flag before its own store is visible.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int flag[2], inside;

void lock(int me) {
    int other = 1 - me;
    store(flag[me], 1, release);
    while (load(flag[other], acquire) >= 3)
        ;
    store(flag[me], 3, release);
    if (load(flag[other], acquire) == 1) {
        store(flag[me], 2, release);
        while (load(flag[other], acquire) != 4)
            ;
    }
    store(flag[me], 4, release);
    while (other < me && load(flag[other], acquire) >= 2)
        ;
}

void unlock(int me) {
    int other = 1 - me;
    int theirs;
    do
        theirs = load(flag[other], acquire);
    while (me < other && theirs >= 2 && theirs <= 3);
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
