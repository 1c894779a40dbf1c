// A seqlock (Boehm, MSPC 2012): the reader's values belong together if the number was even and did not change. Here the number may be even again
// before the values are written.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int sequence, a, b;

void *writer(void *arg) {
    store(sequence, 1, relaxed);
    fence(release);
    store(a, 1, relaxed);
    store(b, 1, relaxed);
    store(sequence, 2, relaxed);
    return 0;
}

void *reader(void *arg) {
    int before = load(sequence, acquire);
    int x = load(a, relaxed);
    int y = load(b, relaxed);
    fence(acquire);
    int after = load(sequence, relaxed);
    if (before == after && before % 2 == 0)
        assert(x == y);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, writer, 0);
    pthread_create(&t, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
