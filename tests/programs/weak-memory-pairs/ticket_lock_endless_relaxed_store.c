// The same, where serving the next one does not release.
// expect: unreach-call true
// expect(power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_uchar next, serving;
atomic_int inside;

void *thread(void *arg) {
    int me = arg != 0;
    for (;;) {
        unsigned char ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (load(serving, acquire) != ticket)
            ;
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(serving, ticket + 1, relaxed);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
