// Dekker's lock with seq_cst accesses, taken again and again: only they race, so that every model will do.
// expect: unreach-call true
// expect(tso,arm,c11): unreach-call true
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
        store(flag[me], 1, seq_cst);
        while (load(flag[you], seq_cst)) {
            if (load(turn, seq_cst) != me) {
                store(flag[me], 0, seq_cst);
                while (load(turn, seq_cst) != me)
                    ;
                store(flag[me], 1, seq_cst);
            }
        }
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(turn, you, seq_cst);
        store(flag[me], 0, seq_cst);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
