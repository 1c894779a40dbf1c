// A spinlock that is given back by a release store: every model keeps what was written under the lock in order. Any number of rounds.
// expect: unreach-call true
// expect(tso,pso): unreach-call true
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
        __sync_lock_release(&lock);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
