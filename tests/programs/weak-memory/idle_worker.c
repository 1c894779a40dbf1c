// The core of Sober's example (Burckhardt, Musuvathi, CAV 2008): a consumer goes to sleep if it sees no work, a producer wakes it if it sees
// it idle. Without fences each can miss the other, and work is left undone.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv): unreach-call false
#include <assert.h>
#include <pthread.h>

int is_idling, has_work;
int sleeps, wakes;

void *consumer(void *arg) {
    is_idling = 1;
    if (!has_work)
        sleeps = 1;
    return 0;
}

void *producer(void *arg) {
    has_work = 1;
    if (is_idling)
        wakes = 1;
    return 0;
}

int main(void) {
    pthread_t c, p;
    pthread_create(&c, 0, consumer, 0);
    pthread_create(&p, 0, producer, 0);
    pthread_join(c, 0);
    pthread_join(p, 0);
    assert(!sleeps || wakes);
}
