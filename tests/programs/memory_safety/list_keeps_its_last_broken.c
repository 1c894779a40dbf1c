// A list of any length is freed, but for its last node.
// expect: valid-memsafety false
// expect: valid-memcleanup false
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *top = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 1;
        new->next = top;
        top = new;
    }
    while (top && top->next) {
        struct node *old = top;
        top = top->next;
        free(old);
    }
    return 0;
}
