// Memory that a function sets for its caller, on the stack and on the heap, for any number that comes in.
// expect: undefined-behaviour true
// explore: unknown

#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct node { unsigned value; struct node *next; };
static struct node *head;

static void set(struct node *node, unsigned value) {
    node->value = value;
    node->next = 0;
}

int main(void) {
    struct node local;
    unsigned n = __VERIFIER_nondet_uint();
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    set(&local, n);
    set(node, n / 2);
    head = node;
    if (local.value > 7 && head->value > 3)
        return 1;
    return 0;
}
