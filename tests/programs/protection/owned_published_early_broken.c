/* The node is filled after it was made known. */
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *arg)
{
    (void)arg;
    struct node *node = malloc(sizeof *node);
    pthread_mutex_lock(&lock);
    head = node;
    pthread_mutex_unlock(&lock);
    node->value = 1;
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, pusher, 0);
    pthread_mutex_lock(&lock);
    struct node *first = head;
    pthread_mutex_unlock(&lock);
    return first ? first->value : 0;
}
