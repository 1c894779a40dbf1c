// Two threads remove the first node of a list. Each gives the lock back after it has read which one that is: both free the same node.
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
    pthread_mutex_unlock(&lock);
    if (old) {
        pthread_mutex_lock(&lock);
        head = old->next;
        pthread_mutex_unlock(&lock);
        free(old);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    head = malloc(sizeof *head);
    head->next = 0;
    pthread_create(&first, 0, consume, 0);
    pthread_create(&second, 0, consume, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
