// Treiber's stack (1986), one push and one look at the top: the compare-and-exchange releases the element. Here nothing but a dependency orders the
// reads of the popper, which C11 does not honour.
// expect: unreach-call true
// expect(tso,pso,rmo,power,arm,riscv): unreach-call true
// expect(c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

struct node {
    int value;
    struct node *next;
};

struct node element;
struct node *_Atomic top;

void *pusher(void *arg) {
    element.value = 1;
    struct node *old = load(top, relaxed);
    do
        element.next = old;
    while (!atomic_compare_exchange_strong_explicit(&top, &old, &element, memory_order_release, memory_order_relaxed));
    return 0;
}

void *popper(void *arg) {
    struct node *old = load(top, relaxed);
    if (old && atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_relaxed, memory_order_relaxed))
        assert(old->value == 1);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, pusher, 0);
    pthread_create(&t, 0, popper, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
