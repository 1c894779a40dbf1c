// Two workers that hand each other a latch and a flag, as PostgreSQL's did: x86 keeps the two stores in order, PSO does not, and the latch
// arrives before the flag.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv): unreach-call false
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
