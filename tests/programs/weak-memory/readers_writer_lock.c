// A readers–writer lock beside accesses that race: in execution graphs it is one word, with who writes and how many read.
//
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_int x, y, progress;

void *writer(void *arg) {
    atomic_store_explicit(&progress, 1, memory_order_relaxed);
    pthread_rwlock_wrlock(&lock);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main() {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = atomic_load_explicit(&progress, memory_order_relaxed);
    pthread_rwlock_rdlock(&lock);
    int b = atomic_load_explicit(&y, memory_order_relaxed), a = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    assert(a == b);
    pthread_join(t, 0);
}
