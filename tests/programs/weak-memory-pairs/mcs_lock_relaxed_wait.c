// The queue lock of Mellor-Crummey and Scott (1991): each thread waits at its own node until its predecessor passes the lock on. Here the count may
// be read before the lock has arrived.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

struct node {
    struct node *_Atomic next;
    atomic_int waits;
};

struct node nodes[2];
struct node *_Atomic tail;
atomic_int count;

void *thread(void *arg) {
    struct node *me = arg;
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before) {
        store(me->waits, 1, relaxed);
        store(before->next, me, release);
        while (load(me->waits, relaxed))
            ;
    }
    store(count, load(count, relaxed) + 1, relaxed);
    struct node *after = load(me->next, acquire);
    if (!after) {
        struct node *last = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &last, 0, memory_order_release, memory_order_relaxed))
            return 0;
        while (!(after = load(me->next, acquire)))
            ;
    }
    store(after->waits, 0, release);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, &nodes[0]);
    pthread_create(&t, 0, thread, &nodes[1]);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(load(count, relaxed) == 2);
}
