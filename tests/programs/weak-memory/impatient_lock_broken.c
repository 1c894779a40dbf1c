// A thread tries to take a lock by an exchange, and gives up when it is told to. The failed exchanges change nothing, but the reads between them matter.
// expect: unreach-call false
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int locked = 1, stop;
int gave_up;

void *thread(void *arg) {
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire)) {
        if (atomic_load_explicit(&stop, memory_order_relaxed)) {
            gave_up = 1;
            break;
        }
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    pthread_join(t, 0);
    assert(!gave_up);
}
