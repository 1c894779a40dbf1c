// Message passing to a reader whose address dependency is cut by waiting: z is read at an address that depends on the last read of y, and the first read of y at one that depends on
// that of x. If the loop reads y again, that read depends on nothing, so that z may be read before x, although y has the same value both times.
//
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y[1], z[1], flag;
int a, b;

void *reader(void *arg) {
    int q = 0;
    a = atomic_load_explicit(&x, memory_order_relaxed);
    int r = atomic_load_explicit(&y[a & 0], memory_order_relaxed);
    for (;;) {
        q = atomic_load_explicit(&flag, memory_order_relaxed);
        if (q != 0)
            break;
        r = atomic_load_explicit(&y[0], memory_order_relaxed);
    }
    b = atomic_load_explicit(&z[r & 0], memory_order_relaxed);
    return 0;
}

void *writer(void *arg) {
    atomic_store_explicit(&z[0], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

void *setter(void *arg) {
    atomic_store_explicit(&y[0], 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t p, q, r;
    pthread_create(&p, 0, reader, 0);
    pthread_create(&q, 0, writer, 0);
    pthread_create(&r, 0, setter, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    assert(!(a == 1 && b == 0));
    return 0;
}
