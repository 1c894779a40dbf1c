// A list of any length is built in a loop and freed in a loop.
// expect: valid-memsafety true
// expect: valid-memcleanup true
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
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new);
        new->value = i;
        new->next = top;
        top = new;
    }
    while (top) {
        struct node *old = top;
        top = top->next;
        free(old);
    }
    return 0;
}
