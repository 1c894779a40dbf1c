// Trees of <search.h>: elements are found until they are deleted, and visited in order, whatever the tree's shape.
// expect: unreach-call true
// expect: valid-memsafety true
// native: yes
#include <assert.h>
#include <search.h>
#include <stddef.h>

static int visited, last = -1;

static int compare(const void *left, const void *right) {
    int x = *(const int *)left, y = *(const int *)right;
    return (x > y) - (x < y);
}
static void visit(const void *node, VISIT when, int depth) {
    if (when != postorder && when != leaf) return;
    int element = **(int *const *)node;
    assert(element > last && depth >= 0);
    last = element;
    visited++;
}

int main(void) {
    static int elements[] = {5, 3, 8, 3};
    void *root = NULL;
    for (int i = 0; i < 4; i++) {
        int **node = tsearch(&elements[i], &root, compare);
        assert(node && *node == &elements[i == 3 ? 1 : i]);
    }
    twalk(root, visit);
    assert(visited == 3);
    int key = 4;
    assert(!tfind(&key, &root, compare));
    while (root) {
        int *element = *(int **)root;
        assert(tdelete(element, &root, compare));
    }
    assert(!tfind(&elements[0], &root, compare));
    return 0;
}
