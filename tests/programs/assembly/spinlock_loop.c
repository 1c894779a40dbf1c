// The spinlock of older versions of Linux, whose loop is in the template; 1 is free.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static volatile int word = 1;
static int inside, count;

static void lock(void) {
    __asm__ __volatile__(
        "1:\n\t"
        "lock; decl %0\n\t"
        "jns 3f\n"
        "2:\n\t"
        "rep; nop\n\t"
        "cmpl $0, %0\n\t"
        "js 2b\n\t"
        "jmp 1b\n"
        "3:\n\t"
        : "+m"(word) : : "memory");
}

static void unlock(void) {
    __asm__ __volatile__("movl $1, %0" : "=m"(word) : : "memory");
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
