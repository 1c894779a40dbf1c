// malloc, calloc (zeroed), realloc (keeps the contents), free; a linked list on the heap.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    int *a = malloc(2 * sizeof *a);
    if (!a)
        return 0;
    a[0] = 1;
    a[1] = 2;
    int *grown = realloc(a, 4 * sizeof *a);
    if (!grown)
        return 0;
    grown[3] = 4;
    assert(grown[0] == 1 && grown[1] == 2);
    free(grown);

    long *zeroed = calloc(3, sizeof *zeroed);
    if (!zeroed)
        return 0;
    assert(zeroed[0] == 0 && zeroed[2] == 0);
    free(zeroed);

    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            return 0;
        fresh->value = i;
        fresh->next = list;
        list = fresh;
    }
    int digits = 0;
    while (list) {
        struct node *rest = list->next;
        digits = digits * 10 + list->value;
        free(list);
        list = rest;
    }
    assert(digits == 210);
    free(NULL);
    return 0;
}
