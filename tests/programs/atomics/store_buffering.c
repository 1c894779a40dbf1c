// The store-buffering litmus test with sequentially consistent atomics and fences.
// Safe: in every interleaving the second of the two stores precedes the load of the other thread that reads it.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_x, seen_y;

void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    seen_y = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    __sync_synchronize();
    seen_x = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen_x || seen_y);
    return 0;
}
