// Load buffering in which what is stored to y is the expected value of a compare-and-exchange of x: when that succeeds, it leaves the expected value as it is, and yet
// that depends on the load, because compilers take what was loaded for it (or branch).
//
// expect: unreach-call true
// expect(tso,pso,c11,rmo,power,arm,riscv): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen;

void *exchanger(void *arg) {
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(&y, expected, memory_order_relaxed);
    return 0;
}

void *copier(void *arg) {
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, (seen & 0) + 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, exchanger, 0);
    pthread_create(&q, 0, copier, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(seen == 0);
    return 0;
}
