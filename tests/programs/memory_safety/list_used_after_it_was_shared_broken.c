// A thread adds a node to a shared list under the lock, and writes to the node once more without it: another thread may have freed the node.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *consume(void *arg)
{
    pthread_mutex_lock(&lock);
    struct node *old = head;
    if (old)
        head = old->next;
    pthread_mutex_unlock(&lock);
    free(old);
    return arg;
}

int main(void)
{
    pthread_t consumer;
    pthread_create(&consumer, 0, consume, 0);
    struct node *new = malloc(sizeof *new);
    pthread_mutex_lock(&lock);
    new->next = head;
    head = new;
    pthread_mutex_unlock(&lock);
    new->value = 1;
    pthread_join(consumer, 0);
    if (head)
        free(head);
    return 0;
}
