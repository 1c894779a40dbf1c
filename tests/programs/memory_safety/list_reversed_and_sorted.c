// A list of any length is kept sorted, reversed in place, loses some nodes, and is freed.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static void insert(struct node **list, int value)
{
    struct node *new = malloc(sizeof *new);
    struct node *before = 0, *here = *list;
    while (here && here->value < value) {
        before = here;
        here = here->next;
    }
    new->value = value;
    new->next = here;
    if (before)
        before->next = new;
    else
        *list = new;
}

static struct node *reversed(struct node *list)
{
    struct node *done = 0;
    while (list) {
        struct node *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}

static void delete(struct node **link, int value)
{
    while (*link) {
        struct node *here = *link;
        if (here->value == value) {
            *link = here->next;
            free(here);
        } else {
            link = &here->next;
        }
    }
}

int main(void)
{
    struct node *list = 0;
    while (__VERIFIER_nondet_int())
        insert(&list, __VERIFIER_nondet_int());
    list = reversed(list);
    delete(&list, 3);
    while (list) {
        struct node *old = list;
        list = list->next;
        free(old);
    }
    return 0;
}
