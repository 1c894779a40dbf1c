// Load buffering with a dependency through memory of one thread that is overwritten: Power commits accesses to one location in program order, so that the last write comes after what the
// overwritten one depends on. Arm and RISC-V do not order a load behind a store that it returns unless that store depends on something itself.
//
// expect: unreach-call true
// expect(tso,pso,power,c11): unreach-call true
// expect(rmo,arm,riscv): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int own, a, b;

void *first(void *arg) {
    b = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, b, memory_order_relaxed);
    return 0;
}

void *second(void *arg) {
    int seen = atomic_load_explicit(&y, memory_order_relaxed);
    own = (seen & 0) + 1;
    own = 2;
    int last = own;
    atomic_store_explicit(&x, (last & 0) + 1, memory_order_relaxed);
    a = seen;
    return 0;
}

int main() {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!(a == 1 && b == 1));
}
