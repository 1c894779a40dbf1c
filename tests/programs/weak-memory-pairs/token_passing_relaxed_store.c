// Two threads that pass a token, and a number with it. Here the token may arrive before the number.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int token;
int number;

void *thread(void *arg) {
    int me = arg != 0;
    while (load(token, acquire) != me)
        ;
    assert(number == me);
    number = me + 1;
    store(token, me + 1, relaxed);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
