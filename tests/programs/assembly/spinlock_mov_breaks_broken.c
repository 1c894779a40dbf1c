// Reading and writing are two steps: both threads find the lock free.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

static volatile int word;
static int inside, count;

static void lock(void) {
    int old;
    do {
        __asm__ __volatile__("movl %1, %0\n\tmovl $1, %1" : "=&r"(old), "+m"(word) : : "memory");
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
