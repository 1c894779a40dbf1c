// Treiber's stack with the compare-and-exchange replaced by a load and a store.
// Broken: both threads load head==NULL, both link to NULL, the second store drops the first node.
// expect: unreach-call false
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
    mine->next = atomic_load(&head);
    atomic_store(&head, mine);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, push, &nodes[0]);
    pthread_create(&b, 0, push, &nodes[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&head)->next != NULL);
    return 0;
}
