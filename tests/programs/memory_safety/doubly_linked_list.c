// A doubly linked list of any length is built at its end and freed from its end.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *previous;
    int value;
};

int main(void)
{
    struct node *first = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 0;
        new->next = 0;
        new->previous = last;
        if (last)
            last->next = new;
        else
            first = new;
        last = new;
    }
    while (last) {
        struct node *old = last;
        last = last->previous;
        if (last)
            last->next = 0;
        free(old);
    }
    return 0;
}
