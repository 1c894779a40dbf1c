// Two locations that are written under a lock, and read without it: where writes or reads are reordered, the second is seen before the first.
//
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_int x, y;

void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main() {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int b = atomic_load_explicit(&y, memory_order_relaxed), a = atomic_load_explicit(&x, memory_order_relaxed);
    assert(!b || a);
    pthread_join(t, 0);
}
