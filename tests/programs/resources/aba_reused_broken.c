// Treiber's stack with nodes that are freed and allocated again: a pop that was interrupted between reading the top's successor and
// the compare-and-swap finds the same address on top, and installs a successor that is no longer in the stack (ABA).
// options: --reuse-addresses
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

_Atomic(struct node *) top;
_Atomic int n_live;

void push(void)
{
    struct node *new = malloc(sizeof *new), *old = top;
    do
        new->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, new));
}

void pop(void)
{
    struct node *old = top;
    do {
        if (!old)
            return;
    } while (!atomic_compare_exchange_strong(&top, &old, old->next));
    free(old);
}

int count(void)
{
    int n = 0;
    for (struct node *p = top; p && n < 5; p = p->next)
        n++;
    return n;
}

void *other(void *arg)
{
    pop();
    pop();
    push();
    return 0;
}

int main(void)
{
    pthread_t a;
    push();
    push();
    pthread_create(&a, 0, other, 0);
    pop();
    pthread_join(a, 0);
    assert(count() == 0);
    return 0;
}
