// Nodes with three links, of which the last leads to the parent, are added at any place, and freed one leaf after the other.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *left, *right, *parent;
};

static struct node *leaf(struct node *parent)
{
    struct node *new = malloc(sizeof *new);
    new->left = new->right = 0;
    new->parent = parent;
    return new;
}

int main(void)
{
    struct node *root = leaf(0);
    while (__VERIFIER_nondet_int()) {
        struct node *at = root;
        while (at->left && at->right)
            at = __VERIFIER_nondet_int() ? at->left : at->right;
        if (!at->left)
            at->left = leaf(at);
        else
            at->right = leaf(at);
    }
    while (root) {
        struct node *at = root;
        while (at->left || at->right)
            at = at->left ? at->left : at->right;
        struct node *parent = at->parent;
        if (!parent)
            root = 0;
        else if (parent->left == at)
            parent->left = 0;
        else
            parent->right = 0;
        free(at);
    }
    return 0;
}
