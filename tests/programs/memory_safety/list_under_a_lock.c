// One thread adds to a list of any length, another one removes from it, both under a lock; what is left is freed after both have ended.
// Whoever unlinked a node has it alone, so that it is freed without the lock.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *produce(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 1;
        pthread_mutex_lock(&lock);
        new->next = head;
        head = new;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consume(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&lock);
        struct node *old = head;
        if (old)
            head = old->next;
        pthread_mutex_unlock(&lock);
        free(old);
    }
    return arg;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    while (head) {
        struct node *old = head;
        head = old->next;
        free(old);
    }
    return 0;
}
