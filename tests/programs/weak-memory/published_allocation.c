// A thread allocates, initialises and publishes an object; what was in its memory before is seen by nobody.
//
// expect: unreach-call true
// expect(tso,pso,c11,rmo,power,arm,riscv): unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    atomic_int value;
};

_Atomic(struct node *) head;

void *publisher(void *arg) {
    struct node *node = malloc(sizeof *node);
    atomic_store_explicit(&node->value, 1, memory_order_relaxed);
    atomic_store_explicit(&head, node, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t p;
    pthread_create(&p, 0, publisher, 0);
    struct node *node = atomic_load_explicit(&head, memory_order_acquire);
    if (node)
        assert(atomic_load_explicit(&node->value, memory_order_relaxed) == 1);
    pthread_join(p, 0);
    return 0;
}
