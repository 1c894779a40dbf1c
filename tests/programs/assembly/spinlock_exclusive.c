// A spinlock of 32-bit ARM: one attempt of an exclusive store for each round of a loop in C, which may fail for no reason.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>

unsigned lock;
int inside;

static int try_lock(unsigned *p) {
    unsigned seen;
    __asm__ __volatile__("ldrex %0, [%1]\n"
                         "teq %0, #0\n"
                         "it eq\n"
                         "strexeq %0, %2, [%1]\n"
                         "dmb"
                         : "=&r"(seen)
                         : "r"(p), "r"(1)
                         : "cc", "memory");
    return seen == 0;
}

static void *critical(void *arg) {
    while (!try_lock(&lock))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    __asm__ __volatile__("dmb" ::: "memory");
    __atomic_store_n(&lock, 0, __ATOMIC_RELAXED);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, critical, 0);
    critical(0);
    pthread_join(a, 0);
    return 0;
}
