// Store buffering between a thread and one that it has created itself.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int read_x, read_y;

void *inner(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    read_x = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

void *outer(void *arg) {
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    read_y = atomic_load_explicit(&y, memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    pthread_join(t, 0);
    assert(read_x || read_y);
}
