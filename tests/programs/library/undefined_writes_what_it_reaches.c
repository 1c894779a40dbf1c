// An undefined function writes only what its arguments lead to, and what such functions were given before: members and what they point to,
// a whole array, memory of the heap, a variable of a caller. Nothing else changes, and what is handed over later is not changed before.
// expect: unreach-call true
// expect: valid-memsafety true
// expect: no-data-race true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
    int *counter;
    struct node *next;
};

void visit(struct node *first);
void sort(int *element);
void fill(char *buffer);

static int counted = 1, hidden = 2, later = 3;
static int numbers[4];
static struct node last = {4, 0, 0};
static int *to_hidden = &hidden;

static void pass_on(int *number)
{
    int own = 5;
    sort(number);
    assert(own == 5);
}

int main(void)
{
    struct node first = {6, &counted, &last};
    int mine = 7, others = 8;
    char *buffer = malloc(4);
    if (!buffer)
        return 0;
    visit(&first);
    pass_on(&others);
    assert(mine == 7 && hidden == 2 && *to_hidden == 2 && later == 3);
    sort(&numbers[2]);
    fill(buffer);
    last.value = 9;
    if (first.next == &last)
        assert(first.next->value == 9);
    buffer[0] = 1;
    assert(buffer[0] == 1 && later == 3);
    free(buffer);
    sort(&later);
    return 0;
}
