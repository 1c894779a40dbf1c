// 2+2W with release stores: marks keep the order of stores under PSO.
// expect: unreach-call true
// expect(tso,pso,power,arm,riscv): unreach-call true
// expect(c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

void *thread0(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 2, memory_order_release);
    return 0;
}

void *thread1(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, thread0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(x == 1 && y == 1));
}
