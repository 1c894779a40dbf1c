// Message passing through a relaxed flag: x86 keeps stores in order, PSO and all weaker models do not.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
// expect(tso): robustness true
// expect(pso,c11,arm,power,riscv): robustness false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0_1, r1_1;

void *thread0(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

void *thread1(void *arg) {
    int r0, r1;
    r0 = atomic_load_explicit(&y, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    r0_1 = r0;
    r1_1 = r1;
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, thread0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r0_1 == 1 && r1_1 == 0));
}
