// Lamport's bakery, entered again and again; who draws too high a number tries again.
// expect: unreach-call true
// expect(tso): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int choosing[2], inside;
atomic_uchar number[2];

void *thread(void *arg) {
    int me = arg != 0, you = 1 - me;
    for (;;) {
        store(choosing[me], 1, seq_cst);
        unsigned char other = load(number[you], seq_cst), mine = other + 1;
        if (mine == 0) {
            store(choosing[me], 0, seq_cst);
            continue;
        }
        store(number[me], mine, seq_cst);
        store(choosing[me], 0, seq_cst);
        while (load(choosing[you], seq_cst))
            ;
        for (;;) {
            other = load(number[you], seq_cst);
            if (other == 0 || other > mine || other == mine && you > me)
                break;
        }
        store(inside, me, relaxed);
        assert(load(inside, relaxed) == me);
        store(number[me], 0, seq_cst);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
