// A queue is freed with its lock while the consumer may still use it.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

struct queue {
    pthread_mutex_t lock;
    struct node *head, *tail;
};

static void *produce(void *arg)
{
    struct queue *queue = arg;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        if (!new)
            abort();
        new->value = 1;
        new->next = 0;
        pthread_mutex_lock(&queue->lock);
        if (queue->tail)
            queue->tail->next = new;
        else
            queue->head = new;
        queue->tail = new;
        pthread_mutex_unlock(&queue->lock);
    }
    return 0;
}

static void *consume(void *arg)
{
    struct queue *queue = arg;
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&queue->lock);
        struct node *old = queue->head;
        if (old) {
            queue->head = old->next;
            if (!queue->head)
                queue->tail = 0;
        }
        pthread_mutex_unlock(&queue->lock);
        free(old);
    }
    return 0;
}

int main(void)
{
    struct queue *queue = malloc(sizeof *queue);
    if (!queue)
        return 1;
    pthread_mutex_init(&queue->lock, 0);
    queue->head = queue->tail = 0;
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, queue);
    pthread_create(&consumer, 0, consume, queue);
    pthread_join(producer, 0);
    while (queue->head) {
        struct node *old = queue->head;
        queue->head = old->next;
        free(old);
    }
    pthread_mutex_destroy(&queue->lock);
    free(queue);
    pthread_join(consumer, 0);
    return 0;
}
