// Load buffering where one thread looks into memory of its own in between, at an address that depends on what it has read: machines make no write before such an access is known to be
// possible. RMO orders nothing by that.
//
// expect: unreach-call true
// expect(tso,pso,power,arm,riscv,c11): unreach-call true
// expect(rmo): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int own[2], a, b;

void *first(void *arg) {
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    own[seen & 0] = 1;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    a = seen;
    return 0;
}

void *second(void *arg) {
    b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, b, memory_order_relaxed);
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
