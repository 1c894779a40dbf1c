// Peterson's algorithm without a fence: the loads of the loop overtake the announcement, and both threads enter.
// expect: unreach-call true
// expect(tso,pso): unreach-call false
// expect(tso,pso,c11,arm,power,riscv): robustness false
#include <assert.h>
#include <pthread.h>

int wants[2], turn;
int inside;

void enter(int me) {
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me)
        ;
}

void leave(int me) { wants[me] = 0; }

void *first(void *arg) {
    while (1) {
        enter(0);
        assert(!inside);
        inside = 1;
        inside = 0;
        leave(0);
    }
}

void *second(void *arg) {
    while (1) {
        enter(1);
        assert(!inside);
        inside = 1;
        inside = 0;
        leave(1);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
