// That a lock cannot be taken tells nothing about what its holder has written before, nor that there is one.
//
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
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
    if (pthread_rwlock_trywrlock(&lock))
        assert(atomic_load_explicit(&progress, memory_order_relaxed));
    pthread_join(t, 0);
}
