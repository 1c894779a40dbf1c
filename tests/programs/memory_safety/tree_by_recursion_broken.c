// What a search finds in a tree is freed, and then the tree with it: a double free if the root is found.
// expect: valid-memsafety false
// explore: unknown
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = malloc(sizeof *tree);
        tree->key = key;
        tree->left = tree->right = 0;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

static unsigned sum(const struct node *tree)
{
    return tree ? (unsigned)tree->key + sum(tree->left) + sum(tree->right) : 0;
}

static unsigned height(const struct node *tree)
{
    if (!tree)
        return 0;
    unsigned left = height(tree->left), right = height(tree->right);
    return left > right ? left + 1 : right + 1;
}

static struct node *find(struct node *tree, int key)
{
    if (!tree || tree->key == key)
        return tree;
    return find(key < tree->key ? tree->left : tree->right, key);
}

static void destroy(struct node *tree)
{
    if (tree) {
        destroy(tree->left);
        destroy(tree->right);
        free(tree);
    }
}

int main(void)
{
    struct node *root = 0;
    while (__VERIFIER_nondet_int())
        root = insert(root, __VERIFIER_nondet_int());
    unsigned result = sum(root) + height(root);
    struct node *found = find(root, 7);
    if (found)
        free(found);
    destroy(root);
    return result > 3;
}
