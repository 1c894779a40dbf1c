// The skeleton of RCU: a reader announces itself before it follows the pointer; the updater replaces the object, waits until no reader is active, and
// destroys the old one. Without the reader's fence the updater may not see it yet when it follows the old pointer.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

int objects[2] = {1, 1};
atomic_int current, active;

void *reader(void *arg) {
    store(active, 1, relaxed);
    int i = load(current, acquire);
    assert(objects[i] == 1);
    store(active, 0, release);
    return 0;
}

void *updater(void *arg) {
    store(current, 1, release);
    fence(seq_cst);
    while (load(active, acquire))
        ;
    objects[0] = 0;
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, reader, 0);
    pthread_create(&t, 0, updater, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
