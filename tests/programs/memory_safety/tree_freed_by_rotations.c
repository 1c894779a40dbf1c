// Nodes are added below a parent that a loop finds; the tree is freed without recursion: it is rotated until its root has no left subtree.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *left, *right;
};

int main(void)
{
    struct node *root = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->key = __VERIFIER_nondet_int();
        new->left = new->right = 0;
        struct node *parent = 0, *at = root;
        while (at) {
            parent = at;
            at = new->key < at->key ? at->left : at->right;
        }
        if (!parent)
            root = new;
        else if (new->key < parent->key)
            parent->left = new;
        else
            parent->right = new;
    }
    while (root) {
        struct node *left = root->left;
        if (left) {
            root->left = left->right;
            left->right = root;
            root = left;
        } else {
            struct node *right = root->right;
            free(root);
            root = right;
        }
    }
    return 0;
}
