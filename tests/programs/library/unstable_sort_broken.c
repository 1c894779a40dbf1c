// C leaves open in which order qsort puts equal elements: the assertion holds only for a stable sort.
// expect: unreach-call false
#include <assert.h>
#include <stdlib.h>

struct item { int key, index; };

static int compare(const void *left, const void *right) {
    return ((const struct item *)left)->key - ((const struct item *)right)->key;
}

int main(void) {
    struct item items[2] = { { 1, 0 }, { 1, 1 } };
    qsort(items, 2, sizeof *items, compare);
    assert(items[0].index == 0);
    return 0;
}
