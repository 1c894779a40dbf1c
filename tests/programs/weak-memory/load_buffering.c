// Load buffering: both loads see the other thread's later store. Store buffers cannot do that, nor does RC11
// allow it; Arm and Power do.
// expect: unreach-call true
// expect(tso,pso,c11): unreach-call true
// expect(rmo,power,arm,riscv): unreach-call false
// expect(tso,pso,c11): robustness true
// expect(arm,power,riscv): robustness false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0_0, r1_1;

void *thread0(void *arg) {
    int r0;
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r0_0 = r0;
    return 0;
}

void *thread1(void *arg) {
    int r1;
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r1_1 = r1;
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, thread0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r0_0 == 1 && r1_1 == 1));
}
