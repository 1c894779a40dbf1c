#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants_a, wants_b;
int inside;

void *first(void *arg) {
    atomic_store_explicit(&wants_a, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&wants_b, memory_order_relaxed))
        inside++;
    return 0;
}

void *second(void *arg) {
    atomic_store_explicit(&wants_b, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&wants_a, memory_order_relaxed))
        inside++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(inside <= 1);
    return 0;
}
