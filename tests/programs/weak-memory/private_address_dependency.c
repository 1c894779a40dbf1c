// Message passing to a reader whose dependency goes through memory of its own: the address of a store depends on the flag, a load returns what was stored there, and the address of
// the data depends on that. Machines order the load behind the flag's; RMO does not.
//
// expect: unreach-call true
// expect(tso,pso,power,arm,riscv): unreach-call true
// expect(rmo,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int data[1], flag;
int own[2];

void *first(void *arg) {
    atomic_store_explicit(&data[0], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

void *second(void *arg) {
    int seen = atomic_load_explicit(&flag, memory_order_relaxed);
    own[seen & 0] = 0;
    int at = own[0];
    int read = atomic_load_explicit(&data[at], memory_order_relaxed);
    assert(!seen || read);
    return 0;
}

int main() {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
