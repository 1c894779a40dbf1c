// A thread that calls `exit` ends the program: nobody joins it and goes on. The other two buffer their stores.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int left, right;

void *first(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    left = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

void *second(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    right = atomic_load_explicit(&x, memory_order_relaxed);
    exit(0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(0);
    return 0;
}
