/* search.h: trees and the hash table.
 *
 * POSIX leaves open how a tree is balanced, and a program sees it: by the element at the root, by what `twalk` tells of leaves and depths.
 * So the elements are a list in order, and whatever depends on the tree's shape is any of what some shape gives. The comparison
 * function is called for the elements up to the one that is looked for; a tree may call it for fewer.
 */

typedef __typeof__(sizeof(0)) size_t;

extern _Bool __threadproof_some_bool(void);
extern void *malloc(size_t);
extern void free(void *);
extern void *__threadproof_library_memory(size_t);
extern int *__errno_location(void);
extern int strcmp(const char *, const char *);

enum { PREORDER, POSTORDER, ENDORDER, LEAF };
enum { ESRCH_ = 3, ENOMEM_ = 12 };

/* The program reads the key through a pointer to the node. */
struct node {
    const void *key;
    struct node *before, *behind;
};

static struct node *first(struct node *node) {
    while (node && node->before) node = node->before;
    return node;
}
/* One of the `n` nodes from `node` on. */
static struct node *some_node(struct node *node, int n, int *index) {
    *index = 0;
    while (*index < n - 1 && __threadproof_some_bool()) {
        node = node->behind;
        (*index)++;
    }
    return node;
}
static int count(struct node *node) {
    int n = 0;
    for (; node; node = node->behind) n++;
    return n;
}

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct node *before = 0, *at, *node;
    int order = 1, index;
    if (!root) return 0;
    for (at = first(*root); at; before = at, at = at->behind) {
        order = compare(key, at->key);
        if (order == 0) return at;
        if (order < 0) break;
    }
    node = malloc(sizeof *node);
    if (!node) return 0;
    node->key = key;
    node->before = before;
    node->behind = at;
    if (before) before->behind = node;
    if (at) at->before = node;
    struct node *least = first(node);
    *root = some_node(least, count(least), &index);
    return node;
}
void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *)) {
    if (!root) return 0;
    for (struct node *at = first(*root); at; at = at->behind) {
        int order = compare(key, at->key);
        if (order == 0) return at;
        if (order < 0) break;
    }
    return 0;
}
/* It returns the parent of what was removed, or, for the root, any pointer that is not null. */
void *tdelete(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct node *at = root ? tfind(key, root, compare) : 0, *least;
    int index;
    if (!at) return 0;
    if (at->before) at->before->behind = at->behind;
    if (at->behind) at->behind->before = at->before;
    least = first(at->before ? at->before : at->behind);
    *root = some_node(least, count(least), &index);
    if (!least) {
        static char no_parent;
        free(at);
        return &no_parent;
    }
    free(at);
    return some_node(least, count(least), &index);
}

/* Visits a subtree: `n` nodes from `node` on. */
static void walk(struct node *node, int n, int depth, void (*action)(const void *, int, int)) {
    int left;
    struct node *top;
    if (n == 0) return;
    top = some_node(node, n, &left);
    if (n == 1) {
        action(top, LEAF, depth);
        return;
    }
    action(top, PREORDER, depth);
    walk(node, left, depth + 1, action);
    action(top, POSTORDER, depth);
    walk(top->behind, n - left - 1, depth + 1, action);
    action(top, ENDORDER, depth);
}
void twalk(const void *root, void (*action)(const void *, int, int)) {
    struct node *least = first((struct node *)root);
    if (least && action) walk(least, count(least), 0, action);
}
static void walk_with(struct node *node, int n, void (*action)(const void *, int, void *), void *argument) {
    int left;
    struct node *top;
    if (n == 0) return;
    top = some_node(node, n, &left);
    if (n == 1) {
        action(top, LEAF, argument);
        return;
    }
    action(top, PREORDER, argument);
    walk_with(node, left, action, argument);
    action(top, POSTORDER, argument);
    walk_with(top->behind, n - left - 1, action, argument);
    action(top, ENDORDER, argument);
}
void twalk_r(const void *root, void (*action)(const void *, int, void *), void *argument) {
    struct node *least = first((struct node *)root);
    if (least && action) walk_with(least, count(least), action, argument);
}
void tdestroy(void *root, void (*release)(void *)) {
    struct node *node = first(root), *behind;
    for (; node; node = behind) {
        behind = node->behind;
        release((void *)node->key);
        free(node);
    }
}

/* ---- the hash table ------------------------------------------------------------------------------------------- */

typedef struct { char *key; void *data; } ENTRY;
struct entry {
    ENTRY entry; /* the program gets a pointer to it */
    struct entry *next;
};
static struct entry *entries;
static size_t n_entries, capacity;
static int exists;

int hcreate(size_t size) {
    if (exists) return 0;
    exists = 1;
    capacity = size;
    n_entries = 0;
    entries = 0;
    return 1;
}
void hdestroy(void) { exists = 0; }
/* Entries beyond the size that was asked for may find room, or not. */
ENTRY *hsearch(ENTRY item, int enter) {
    struct entry *at;
    for (at = exists ? entries : 0; at; at = at->next)
        if (strcmp(at->entry.key, item.key) == 0) return &at->entry;
    if (!exists || !enter) {
        *__errno_location() = enter ? ENOMEM_ : ESRCH_;
        return 0;
    }
    if (n_entries >= capacity && __threadproof_some_bool()) {
        *__errno_location() = ENOMEM_;
        return 0;
    }
    at = __threadproof_library_memory(sizeof *at);
    at->entry = item;
    at->next = entries;
    entries = at;
    n_entries++;
    return &at->entry;
}
