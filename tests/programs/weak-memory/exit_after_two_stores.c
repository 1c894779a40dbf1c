// Stores can reach memory in any order right before their thread ends the program, and another thread can see that.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

volatile int data, ready;

void *writer(void *arg) {
    data = 1;
    ready = 1;
    exit(0);
}

void *reader(void *arg) {
    if (ready == 1)
        assert(data == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
