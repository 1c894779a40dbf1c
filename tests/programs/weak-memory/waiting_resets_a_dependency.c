// Load buffering through a loop that waits: what is stored to y depends on the read of x only until the loop, which sets the register to the same value again.
// An iteration is therefore not without effect where dependencies order accesses: with it, y may be stored before x is read, and all threads see 1.
//
// expect: unreach-call true
// expect(tso,pso,c11): unreach-call true
// expect(rmo,power,arm,riscv): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, flag;
int a;

void *waiter(void *arg) {
    a = atomic_load_explicit(&x, memory_order_relaxed);
    int t = a & 0;
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        t = 0;
    atomic_store_explicit(&y, t + 1, memory_order_relaxed);
    return 0;
}

void *copier(void *arg) {
    int b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, b, memory_order_relaxed);
    return 0;
}

void *setter(void *arg) {
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t p, q, r;
    pthread_create(&p, 0, waiter, 0);
    pthread_create(&q, 0, copier, 0);
    pthread_create(&r, 0, setter, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    assert(a == 0);
    return 0;
}
