// A test-and-set lock: xchg with memory is one step without a prefix.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static volatile int word;
static int inside, count;

static void lock(void) {
    int old = 1;
    do {
        __asm__ __volatile__("xchgl %0, %1" : "+r"(old), "+m"(word) : : "memory");
    } while (old);
}

static void unlock(void) {
    __asm__ __volatile__("movl $0, %0" : "=m"(word) : : "memory");
}

static void *worker(void *arg) {
    (void)arg;
    lock();
    assert(inside == 0);
    inside = 1;
    count++;
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
    assert(count == 2);
    return 0;
}
