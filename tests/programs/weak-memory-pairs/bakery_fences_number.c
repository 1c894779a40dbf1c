// Lamport's bakery (1974) for two threads that enter once: full fences after `choosing` is set, and after the number is drawn. Without the second
// fence a thread looks for the other's number before its own is visible.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int choosing[2], number[2], inside;

void lock(int me) {
    int other = 1 - me;
    store(choosing[me], 1, relaxed);
    fence(seq_cst);
    int mine = load(number[other], relaxed) + 1;
    store(number[me], mine, relaxed);
    store(choosing[me], 0, release);
    while (load(choosing[other], acquire))
        ;
    int theirs;
    do
        theirs = load(number[other], acquire);
    while (theirs != 0 && (theirs < mine || (theirs == mine && other < me)));
}

void unlock(int me) {
    store(number[me], 0, release);
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
