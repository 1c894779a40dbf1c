/* Any number of threads allocate nodes, fill them and push them on a list: a node is filled while only its maker knows it. */
// expect: no-data-race true
// options: --assume no-undefined-behaviour
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *arg)
{
    (void)arg;
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    pthread_mutex_lock(&lock);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    while (__VERIFIER_nondet_bool()) {
        pthread_t id;
        pthread_create(&id, 0, pusher, 0);
    }
    int sum = 0;
    pthread_mutex_lock(&lock);
    struct node *first = head;
    pthread_mutex_unlock(&lock);
    if (first)
        sum += first->value;
    return sum;
}
