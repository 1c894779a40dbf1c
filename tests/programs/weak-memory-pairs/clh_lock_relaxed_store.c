// The queue lock of Craig, Landin and Hagersten (1993): each thread waits at its predecessor's node. Here the lock may be passed on before the count
// is visible.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

struct node {
    atomic_int locked;
};

struct node nodes[3];
struct node *_Atomic tail = &nodes[2];
atomic_int count;

void *thread(void *arg) {
    struct node *me = arg;
    store(me->locked, 1, relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    while (load(before->locked, acquire))
        ;
    store(count, load(count, relaxed) + 1, relaxed);
    store(me->locked, 0, relaxed);
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
