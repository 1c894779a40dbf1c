// The link is read from a node that was just freed.
// expect: valid-memsafety false
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
        new->next = top;
        top = new;
    }
    while (top) {
        free(top);
        top = top->next;
    }
    return 0;
}
