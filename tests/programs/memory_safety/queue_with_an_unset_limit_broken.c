// A thread decides on a member of a queue that the thread which made the queue never set.
// expect: undefined-behaviour false
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int *head;
    int limit;
};

static void *take(void *arg)
{
    struct queue *queue = arg;
    pthread_mutex_lock(&queue->lock);
    if (queue->limit) {
        free(queue->head);
        queue->head = 0;
    }
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int main(void)
{
    struct queue *queue = malloc(sizeof *queue);
    if (!queue)
        return 1;
    pthread_mutex_init(&queue->lock, 0);
    queue->head = malloc(sizeof *queue->head);
    pthread_t user;
    pthread_create(&user, 0, take, queue);
    pthread_join(user, 0);
    free(queue->head);
    free(queue);
    return 0;
}
