// A spinlock that is given back by a plain store, as on x86: exchange drains the buffer, and stores stay in order. Any number of rounds.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso): unreach-call false
#include <assert.h>
#include <pthread.h>

volatile int lock;
int a, b;

void take(void) {
    while (__sync_lock_test_and_set(&lock, 1))
        while (lock)
            ;
}

void *worker(void *arg) {
    while (1) {
        take();
        assert(a == b);
        a = !a;
        b = !b;
        lock = 0;
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
