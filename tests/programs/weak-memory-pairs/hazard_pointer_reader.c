// A hazard pointer (Michael, 2004): the reader announces the object that it is going to use, and looks again; the other thread replaces it, and
// destroys it unless it was announced. Without the reader's fence it may look again before the announcement is visible.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

int objects[2] = {1, 1};
atomic_int current, hazard = -1;

void *reader(void *arg) {
    int i = load(current, relaxed);
    store(hazard, i, relaxed);
    if (load(current, acquire) == i)
        assert(objects[i] == 1);
    return 0;
}

void *reclaimer(void *arg) {
    store(current, 1, release);
    fence(seq_cst);
    if (load(hazard, acquire) != 0)
        objects[0] = 0;
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, reader, 0);
    pthread_create(&t, 0, reclaimer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
