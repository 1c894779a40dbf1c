// Dekker's lock, taken again and again, without the fence behind the second announcement.
// expect: unreach-call true
// expect(tso): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int flag[2], turn, inside;

void *thread(void *arg) {
    int me = arg != 0, you = 1 - me;
    for (;;) {
        store(flag[me], 1, relaxed);
        fence(seq_cst);
        while (load(flag[you], acquire)) {
            if (load(turn, relaxed) != me) {
                store(flag[me], 0, relaxed);
                while (load(turn, acquire) != me)
                    ;
                store(flag[me], 1, relaxed);
            }
        }
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(turn, you, release);
        store(flag[me], 0, release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
