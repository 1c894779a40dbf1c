// The queue of Michael and Scott (1996), one enqueue and one dequeue: the link releases the element. Here the element may be in the queue before it
// is written.
// expect: unreach-call true
// expect(tso): unreach-call true
// expect(pso,rmo,power,arm,riscv,c11): unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)

struct node {
    int value;
    struct node *_Atomic next;
};

struct node dummy, element;
struct node *_Atomic head = &dummy;
struct node *_Atomic tail = &dummy;

void *producer(void *arg) {
    element.value = 1;
    struct node *last = load(tail, acquire);
    struct node *none = 0;
    if (atomic_compare_exchange_strong_explicit(&last->next, &none, &element, memory_order_relaxed, memory_order_relaxed))
        atomic_compare_exchange_strong_explicit(&tail, &last, &element, memory_order_release, memory_order_relaxed);
    return 0;
}

void *consumer(void *arg) {
    struct node *first = load(head, acquire);
    struct node *next = load(first->next, acquire);
    if (next) {
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed))
            assert(value == 1);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
