// A fence in one of two threads is not enough: the other one's load still overtakes its store.
// expect: unreach-call true
// expect(tso,pso,power,arm,riscv,c11): unreach-call false
// expect(tso,pso,c11,arm,power,riscv): robustness false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0_0, r1_1;

void *thread0(void *arg) {
    int r0;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    r0 = atomic_load_explicit(&y, memory_order_relaxed);
    r0_0 = r0;
    return 0;
}

void *thread1(void *arg) {
    int r1;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    r1_1 = r1;
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, thread0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r0_0 == 0 && r1_1 == 0));
}
