// IRIW with acquire loads: allowed by C11 and Power, but not by x86 and Arm.
// expect: unreach-call true
// expect(tso,pso,arm,riscv): unreach-call true
// expect(power,c11): unreach-call false
// expect(tso,pso,arm,riscv): robustness true
// expect(c11,power): robustness false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0_2, r1_2, r2_3, r3_3;

void *thread0(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_release);
    return 0;
}

void *thread1(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}

void *thread2(void *arg) {
    int r0, r1;
    r0 = atomic_load_explicit(&x, memory_order_acquire);
    r1 = atomic_load_explicit(&y, memory_order_acquire);
    r0_2 = r0;
    r1_2 = r1;
    return 0;
}

void *thread3(void *arg) {
    int r2, r3;
    r2 = atomic_load_explicit(&y, memory_order_acquire);
    r3 = atomic_load_explicit(&x, memory_order_acquire);
    r2_3 = r2;
    r3_3 = r3;
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2, t3;
    pthread_create(&t0, 0, thread0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(!(r0_2 == 1 && r1_2 == 0 && r2_3 == 1 && r3_3 == 0));
}
