// A worker waits for a flag that is never set. The execution that does not end is one of every memory model.
// expect: termination false
// expect(tso,pso,c11,arm,power,riscv): termination false
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *worker(void *arg) {
    while (!atomic_load(&flag))
        ;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    return 0;
}
