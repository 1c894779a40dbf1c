// A queue in a frame is handed to a thread, and the frame is left while the thread uses it.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct queue {
    pthread_mutex_t lock;
    struct node *head;
};

static pthread_t user;

static void *take(void *arg)
{
    struct queue *queue = arg;
    pthread_mutex_lock(&queue->lock);
    struct node *old = queue->head;
    queue->head = 0;
    pthread_mutex_unlock(&queue->lock);
    free(old);
    return 0;
}

static void start(void)
{
    struct queue queue;
    pthread_mutex_init(&queue.lock, 0);
    queue.head = malloc(sizeof *queue.head);
    pthread_create(&user, 0, take, &queue);
}

int main(void)
{
    start();
    pthread_join(user, 0);
    return 0;
}
