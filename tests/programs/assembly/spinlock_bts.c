// A bit as a lock, as Linux has it.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>

static volatile int word;
static int inside, count;

static void lock(void) {
    int held;
    do {
        __asm__ __volatile__("lock; btsl $0, %1\n\tsbbl %0, %0" : "=r"(held), "+m"(word) : : "memory");
    } while (held);
}

static void unlock(void) {
    __asm__ __volatile__("lock; btrl $0, %0" : "+m"(word) : : "memory");
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
