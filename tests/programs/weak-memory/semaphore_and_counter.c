// A semaphore as a lock: waiting for it reads its value twice in one step, which is one read of an execution graph.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv,c11): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

sem_t semaphore;
atomic_int count;

void *thread(void *arg) {
    sem_wait(&semaphore);
    int old = atomic_load_explicit(&count, memory_order_relaxed);
    atomic_store_explicit(&count, old + 1, memory_order_relaxed);
    sem_post(&semaphore);
    return 0;
}

int main(void) {
    pthread_t s, t;
    sem_init(&semaphore, 0, 1);
    pthread_create(&s, 0, thread, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(count == 2);
}
