// Only locks synchronise, so that the program is free of races and behaves under every memory model as under sequential consistency.
// expect: unreach-call true
// expect: no-data-race true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
// expect(c11): no-data-race true
// expect(tso,pso,c11,arm,power,riscv): robustness true
// explore: unknown
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance, total;

void *pay_in(void *arg) {
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        balance++;
        total++;
        assert(balance == total);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, pay_in, 0);
    pthread_create(&t, 0, pay_in, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
