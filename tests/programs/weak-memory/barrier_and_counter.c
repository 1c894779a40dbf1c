// A barrier orders what is before it, also where other accesses race: in execution graphs it is one word that counts arrivals and generations.
//
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
atomic_int data, progress;
int plain;

void *worker(void *arg) {
    atomic_store_explicit(&progress, 1, memory_order_relaxed);
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    plain = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main() {
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, worker, 0);
    int seen = atomic_load_explicit(&progress, memory_order_relaxed);
    pthread_barrier_wait(&barrier);
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 1 && plain == 1);
    pthread_join(t, 0);
}
