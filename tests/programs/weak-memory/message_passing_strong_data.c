// The data is stored with seq_cst, the flag relaxed. On machines with store buffers a seq_cst store is in memory before anything that follows it; elsewhere only what
// comes before it is ordered.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(tso,pso): robustness true
// expect(rmo,power,arm,riscv,c11): unreach-call false
// expect(rmo,power,arm,riscv,c11): robustness false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int data, flag;

void *writer(void *arg) {
    atomic_store_explicit(&data, 1, memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

void *reader(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(atomic_load_explicit(&data, memory_order_acquire) == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
