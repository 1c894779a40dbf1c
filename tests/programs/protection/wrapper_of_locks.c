/* Locks are taken and given back by functions that get the object; the global that leads to it is set before the threads start. */
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct queue {
    int length;
    pthread_mutex_t lock;
};

static struct queue *queue;

static void enter(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
}

static void leave(struct queue *q)
{
    pthread_mutex_unlock(&q->lock);
}

static void *worker(void *arg)
{
    struct queue *q = arg;
    enter(q);
    q->length++;
    leave(q);
    return 0;
}

int main(void)
{
    queue = malloc(sizeof *queue);
    pthread_mutex_init(&queue->lock, 0);
    queue->length = 0;
    while (__VERIFIER_nondet_bool()) {
        pthread_t id;
        pthread_create(&id, 0, worker, queue);
    }
    enter(queue);
    queue->length--;
    leave(queue);
    return 0;
}
