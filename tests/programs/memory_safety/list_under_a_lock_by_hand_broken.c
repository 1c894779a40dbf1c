// Two threads remove the first node of a list under a lock made of a word. The exchange is made, but its result is ignored: both may hold the lock.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static int word;

static void *work(void *arg)
{
    __sync_lock_test_and_set(&word, 1);
    struct node *old = head;
    if (old)
        head = old->next;
    __sync_lock_release(&word);
    free(old);
    return arg;
}

int main(void)
{
    pthread_t one, two;
    head = malloc(sizeof *head);
    head->next = 0;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
