// A static pointer leads to a heap object that is never freed: it is not lost.
// expect: valid-memsafety true
// expect: valid-memtrack true
// expect: valid-memcleanup false
#include <stdlib.h>

struct node {
    struct node *next;
};

struct node *top;

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *new = malloc(sizeof *new);
        new->next = top;
        top = new;
    }
    return 0;
}
