/* One wrapper gives the lock back too early. */
// expect: no-data-race false
#include <pthread.h>

struct queue {
    int length;
    pthread_mutex_t lock;
};

static struct queue queue;

static void enter(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    pthread_mutex_unlock(&q->lock);
}

static void *worker(void *arg)
{
    struct queue *q = arg;
    enter(q);
    q->length++;
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, worker, &queue);
    enter(&queue);
    queue.length--;
    return 0;
}
