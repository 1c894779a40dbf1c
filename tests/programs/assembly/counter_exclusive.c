// Two threads add to a counter by exclusive accesses of AArch64, which are atomic.
// expect: unreach-call true
// expect: no-data-race true
// explore: unknown
#include <assert.h>
#include <pthread.h>

int counter;

static void add(int *p, int by) {
    int result;
    unsigned status;
    __asm__ __volatile__("1: ldxr %w0, %2\n add %w0, %w0, %w3\n stxr %w1, %w0, %2\n cbnz %w1, 1b"
                         : "=&r"(result), "=&r"(status), "+Q"(*p)
                         : "r"(by));
}

static void *adder(void *arg) {
    add(&counter, 1);
    add(&counter, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, adder, 0);
    pthread_create(&b, 0, adder, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 6);
    return 0;
}
