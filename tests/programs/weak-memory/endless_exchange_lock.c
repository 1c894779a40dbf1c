// A lock that is an exchange in a loop, taken for ever by two threads: plain accesses under it do not race in the sense of C11.
// expect: unreach-call true
// expect(tso,pso,c11): unreach-call true
// expect(c11): no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int locked;
int inside;

void *worker(void *arg) {
    while (1) {
        do {
            while (atomic_load_explicit(&locked, memory_order_relaxed))
                ;
        } while (atomic_exchange_explicit(&locked, 1, memory_order_acquire));
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
        atomic_store_explicit(&locked, 0, memory_order_release);
    }
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
