// Two lists of any length under two locks, which are taken one inside of the other.
// expect: valid-memsafety true
// expect: no-data-race true
// expect: no-deadlock true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static struct node *left, *right;

static void *to_the_left(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        struct node *node = right;
        if (node) {
            right = node->next;
            node->next = left;
            left = node;
        }
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return arg;
}

static void *to_the_right(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        if (!new)
            abort();
        new->value = 1;
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        new->next = right;
        right = new;
        pthread_mutex_unlock(&inner);
        struct node *node = left;
        if (node)
            left = node->next;
        pthread_mutex_unlock(&outer);
        free(node);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, to_the_left, 0);
    pthread_create(&b, 0, to_the_right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    while (left) {
        struct node *old = left;
        left = old->next;
        free(old);
    }
    while (right) {
        struct node *old = right;
        right = old->next;
        free(old);
    }
    return 0;
}
