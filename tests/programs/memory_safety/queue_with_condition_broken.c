// A consumer that waits on a condition variable does not look at the queue again: another consumer may have been faster.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct node *first;

static void *consume(void *arg)
{
    pthread_mutex_lock(&lock);
    if (!first)
        pthread_cond_wait(&filled, &lock);
    struct node *old = first;
    first = old->next;
    pthread_mutex_unlock(&lock);
    free(old);
    return arg;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, consume, 0);
    pthread_create(&two, 0, consume, 0);
    struct node *new = malloc(sizeof *new);
    pthread_mutex_lock(&lock);
    new->next = first;
    first = new;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
