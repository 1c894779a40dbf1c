// The lock of spinlock_xchg.c with builtins.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static volatile int word;
static int inside, count;

static void lock(void) {
    while (__sync_lock_test_and_set(&word, 1)) {
    }
}

static void unlock(void) {
    __sync_lock_release(&word);
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
