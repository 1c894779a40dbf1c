// Two workers that hand each other a latch and a flag, as PostgreSQL's did after the first repair: a light fence keeps the two stores in order. But the
// other worker's loads of the latch and of the flag are ordered by a branch only, which does not keep loads in order on Power, ARM and RISC-V.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
// expect(rmo,power,arm,riscv): unreach-call false
#include <assert.h>
#include <pthread.h>

int latch0, latch1 = 1, flag0, flag1 = 1;

void *worker0(void *arg) {
    while (1) {
        while (!latch0)
            ;
        assert(!latch0 || flag0);
        latch0 = 0;
        if (flag0) {
            flag0 = 0;
            flag1 = 1;
            __atomic_thread_fence(__ATOMIC_RELEASE);
            latch1 = 1;
        }
    }
}

void *worker1(void *arg) {
    while (1) {
        while (!latch1)
            ;
        assert(!latch1 || flag1);
        latch1 = 0;
        if (flag1) {
            flag1 = 0;
            flag0 = 1;
            __atomic_thread_fence(__ATOMIC_RELEASE);
            latch0 = 1;
        }
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker0, 0);
    pthread_create(&t, 0, worker1, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
