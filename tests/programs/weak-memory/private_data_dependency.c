// Writes in the wrong order (S), with a dependency through memory of one thread: what is read is stored there, loaded again, and decides a branch before the write. Machines order the
// load behind the first read; RMO, where a load may return what its thread is about to store, does not.
//
// expect: unreach-call true
// expect(tso,pso,power,arm,riscv): unreach-call true
// expect(rmo,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int own, a;

void *first(void *arg) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    atomic_thread_fence(memory_order_acq_rel);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

void *second(void *arg) {
    int seen = atomic_load_explicit(&y, memory_order_relaxed);
    own = (seen & 0) + 1;
    int again = own;
    if (again == 1)
        atomic_store_explicit(&x, 1, memory_order_relaxed);
    a = seen;
    return 0;
}

int main() {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!(a == 1 && atomic_load_explicit(&x, memory_order_relaxed) == 2));
}
