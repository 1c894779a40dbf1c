// Load buffering with a release store in between, to a cell that no other thread uses. Compiled for Power and RISC-V the store has a fence before it, which keeps
// the load before the second store, too; on AArch64 (STLR) it orders nothing else.
//
// expect: unreach-call true
// expect(tso,pso,c11,rmo,power,riscv): unreach-call true
// expect(arm): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, mine;
int seen;

void *first(void *arg) {
    seen = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&mine, 1, memory_order_release);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

void *copier(void *arg) {
    int b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, b, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, copier, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(seen == 0);
    return 0;
}
