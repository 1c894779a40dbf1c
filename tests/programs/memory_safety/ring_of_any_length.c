// A circular list of any length around a node that is never removed; every node holds 1, but for that one.
// expect: valid-memsafety true
// expect: unreach-call true
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};
extern void reach_error(void);

int main(void)
{
    struct node *head = malloc(sizeof *head);
    head->value = 0;
    head->next = head;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 1;
        new->next = head->next;
        head->next = new;
    }
    struct node *here = head->next;
    while (here != head) {
        struct node *old = here;
        if (here->value != 1)
            reach_error();
        here = here->next;
        free(old);
    }
    free(head);
    return 0;
}
