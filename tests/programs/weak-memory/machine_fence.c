// Store buffering with mfence, the full fence of x86, between the store and the load of both threads.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv): unreach-call true
#include <assert.h>
#include <pthread.h>

volatile int x, y;
int seen_by_a, seen_by_b;

void *a(void *arg) {
    x = 1;
    asm volatile("mfence" ::: "memory");
    seen_by_a = y;
    return 0;
}

void *b(void *arg) {
    y = 1;
    asm volatile("mfence" ::: "memory");
    seen_by_b = x;
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(seen_by_a || seen_by_b);
}
