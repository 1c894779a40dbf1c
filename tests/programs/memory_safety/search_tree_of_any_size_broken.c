// A tree is freed by a function that calls itself, which reads the second link of a node after the node was freed.
// expect: valid-memsafety false
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *left, *right;
};

static void add(struct node **root, int key)
{
    struct node **place = root;
    while (*place)
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    struct node *new = malloc(sizeof *new);
    new->key = key;
    new->left = new->right = 0;
    *place = new;
}

static void destroy(struct node *tree)
{
    if (!tree)
        return;
    destroy(tree->left);
    free(tree);
    destroy(tree->right);
}

int main(void)
{
    struct node *root = 0;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        add(&root, __VERIFIER_nondet_int());
    int wanted = __VERIFIER_nondet_int();
    struct node *at = root;
    while (at && at->key != wanted)
        at = wanted < at->key ? at->left : at->right;
    int found = at != 0;
    destroy(root);
    return found;
}
