// An undefined function that gets a record may write its members, also if the record leads further.
// expect: unreach-call false
#include <assert.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

void visit(struct node *list);

int main(void) {
    struct node last = {NULL, 1}, first = {&last, 2};
    visit(&first);
    assert(first.value == 2);
    return 0;
}
