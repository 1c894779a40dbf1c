// A barrier made of a counter: arriving releases, seeing that all have arrived acquires.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int arrived;
int values[2];

void *thread(void *arg) {
    int me = arg != 0;
    values[me] = 1;
    atomic_fetch_add_explicit(&arrived, 1, memory_order_release);
    while (load(arrived, acquire) < 2)
        ;
    assert(values[1 - me] == 1);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
