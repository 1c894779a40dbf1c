// Treiber's lock-free stack (1986), two threads pushing one node each by compare-and-exchange.
// Safe: a push whose head changed meanwhile is retried, so no node is lost.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

struct node nodes[2];
_Atomic(struct node *) head;

void *push(void *arg)
{
    struct node *mine = arg;
    struct node *seen = atomic_load(&head);
    do
        mine->next = seen;
    while (!atomic_compare_exchange_strong(&head, &seen, mine));
    return 0;
}

int main(void)
{
    pthread_t a, b;
    nodes[0].value = 1;
    nodes[1].value = 2;
    pthread_create(&a, 0, push, &nodes[0]);
    pthread_create(&b, 0, push, &nodes[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct node *first = head;
    assert(first != NULL && first->next != NULL && first->next->next == NULL);
    assert(first->value + first->next->value == 3);
    return 0;
}
