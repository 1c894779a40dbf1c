// A queue of any length with its lock and a condition variable in one structure: any number of producers append to it, any number of consumers wait until
// it has an element. Waiting gives the lock back, so the consumer looks at the queue again afterwards.
// expect: valid-deref true
// expect: valid-free true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct node *first, *last;
} queue;

static void *produce(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 1;
        new->next = 0;
        pthread_mutex_lock(&queue.lock);
        if (queue.last)
            queue.last->next = new;
        else
            queue.first = new;
        queue.last = new;
        pthread_cond_signal(&queue.filled);
        pthread_mutex_unlock(&queue.lock);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (!queue.first)
            pthread_cond_wait(&queue.filled, &queue.lock);
        struct node *old = queue.first;
        queue.first = old->next;
        if (!queue.first)
            queue.last = 0;
        pthread_mutex_unlock(&queue.lock);
        free(old);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_init(&queue.lock, 0);
    pthread_cond_init(&queue.filled, 0);
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, produce, 0);
        pthread_create(&thread, 0, consume, 0);
    }
    pthread_exit(0);
}
