// A reference count: dropping a reference releases what was done with the object, and the last one acquires it before destroying.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

atomic_int references = 2;
int used[2];

void *thread(void *arg) {
    int me = arg != 0;
    used[me] = 1;
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_release) == 1) {
        fence(acquire);
        assert(used[0] + used[1] == 2);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
