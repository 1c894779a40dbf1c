// A list is built in a loop and freed in a loop.
// expect: valid-memsafety true
// expect: valid-memcleanup true
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
    while (top) {
        struct node *old = top;
        top = top->next;
        free(old);
    }
    return 0;
}
