// Any number of threads insert into and remove from a doubly linked list, anywhere in it; every link is changed under one lock.
// expect: valid-deref true
// expect: valid-free true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *previous;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void insert(void)
{
    struct node *new = malloc(sizeof *new);
    new->previous = 0;
    pthread_mutex_lock(&lock);
    new->next = head;
    if (head)
        head->previous = new;
    head = new;
    pthread_mutex_unlock(&lock);
}

static void delete(void)
{
    pthread_mutex_lock(&lock);
    struct node *old = head;
    while (old && __VERIFIER_nondet_int())
        old = old->next;
    if (old) {
        if (old->previous)
            old->previous->next = old->next;
        else
            head = old->next;
        if (old->next)
            old->next->previous = old->previous;
    }
    pthread_mutex_unlock(&lock);
    free(old);
}

static void *work(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        insert();
        delete();
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
