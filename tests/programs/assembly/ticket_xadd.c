// A ticket lock: xadd takes the ticket.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>

static volatile unsigned next, serving;
static int inside;

static void lock(void) {
    unsigned mine = 1;
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(mine), "+m"(next) : : "memory");
    unsigned now;
    do {
        __asm__ __volatile__("movl %1, %0" : "=r"(now) : "m"(serving) : "memory");
    } while (now != mine);
}

static void unlock(void) { __asm__ __volatile__("incl %0" : "+m"(serving) : : "memory"); }

static void *worker(void *arg) {
    (void)arg;
    lock();
    assert(!inside);
    inside = 1;
    inside = 0;
    unlock();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
