// Double-checked locking: the flag that says that the object is complete is released and acquired.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int object;

void *thread(void *arg) {
    if (!load(ready, acquire)) {
        pthread_mutex_lock(&mutex);
        if (!load(ready, relaxed)) {
            object = 1;
            store(ready, 1, release);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(object == 1);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
