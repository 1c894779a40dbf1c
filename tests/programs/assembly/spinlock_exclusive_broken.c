// A spinlock whose exclusive store does not depend on what was read: both threads get it.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

int lock, inside;

static int exchange(int *p, int value) {
    int old, status;
    __asm__ __volatile__("1: lr.w.aq %0, (%2)\n sc.w.rl %1, %3, (%2)\n bnez %1, 1b"
                         : "=&r"(old), "=&r"(status)
                         : "r"(p), "r"(value)
                         : "memory");
    return old;
}

static void *critical(void *arg) {
    exchange(&lock, 1);
    inside++;
    assert(inside == 1);
    inside--;
    exchange(&lock, 0);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, critical, 0);
    critical(0);
    pthread_join(a, 0);
    return 0;
}
