// Store buffering with an exchange of a cell of the thread's own between store and load: on every machine that is a full fence (on x86 the usual one, a locked
// instruction on the stack), though not in C11.
//
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv): unreach-call true
// expect(c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, mine, other;
int a, b;

void *first(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_exchange(&mine, 1);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

void *second(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_exchange(&other, 1);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a == 1 || b == 1);
    return 0;
}
