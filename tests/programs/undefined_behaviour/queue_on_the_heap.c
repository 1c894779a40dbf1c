// A lock and a condition variable on the heap are set once they are initialised.
// expect: undefined-behaviour true
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int length;
};

void *append(void *argument)
{
    struct queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    queue->length++;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int main(void)
{
    struct queue *queue = malloc(sizeof *queue);
    pthread_t thread;
    pthread_mutex_init(&queue->lock, 0);
    pthread_cond_init(&queue->changed, 0);
    queue->length = 0;
    pthread_create(&thread, 0, append, queue);
    pthread_mutex_lock(&queue->lock);
    while (!queue->length)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(thread, 0);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
    return 0;
}
