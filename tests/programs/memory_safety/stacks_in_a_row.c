// Two stacks of any height, each with a lock of its own; a thread hands nodes on from one to the other.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// expect: no-data-race true
// expect: no-deadlock true
// expect: undefined-behaviour true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

struct stack {
    pthread_mutex_t lock;
    struct node *top;
};

static struct stack first = { PTHREAD_MUTEX_INITIALIZER, 0 }, second = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void push(struct stack *stack, struct node *node)
{
    pthread_mutex_lock(&stack->lock);
    node->next = stack->top;
    stack->top = node;
    pthread_mutex_unlock(&stack->lock);
}

static struct node *pop(struct stack *stack)
{
    pthread_mutex_lock(&stack->lock);
    struct node *node = stack->top;
    if (node)
        stack->top = node->next;
    pthread_mutex_unlock(&stack->lock);
    return node;
}

static void *produce(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        if (!new)
            abort();
        new->value = 1;
        push(&first, new);
    }
    return arg;
}

static void *hand_on(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *node = pop(&first);
        if (node)
            push(&second, node);
    }
    return arg;
}

static void release(struct stack *stack)
{
    struct node *node;
    while ((node = pop(stack)))
        free(node);
}

int main(void)
{
    pthread_t producer, middle;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&middle, 0, hand_on, 0);
    while (__VERIFIER_nondet_int())
        free(pop(&second));
    pthread_join(producer, 0);
    pthread_join(middle, 0);
    release(&first);
    release(&second);
    return 0;
}
