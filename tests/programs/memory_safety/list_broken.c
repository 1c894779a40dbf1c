// A list is freed in a loop that reads the successor of a node after it was freed.
// expect: valid-memsafety false
// expect: valid-deref false
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *top = 0;
    for (int i = 0; i < 3; i++) {
        struct node *new = malloc(sizeof *new);
        new->value = i;
        new->next = top;
        top = new;
    }
    for (struct node *n = top; n; n = n->next)
        free(n);
    return 0;
}
