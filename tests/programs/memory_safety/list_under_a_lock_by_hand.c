// A list of any length is shared under a lock that the program makes of a word, by an exchange; the functions do not say that it is one.
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

static struct node *head;
static int word;

static void *work(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->value = 1;
        while (__sync_lock_test_and_set(&word, 1))
            ;
        struct node *old = head;
        if (old)
            head = old->next;
        new->next = head;
        head = new;
        __sync_lock_release(&word);
        free(old);
    }
    return arg;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    while (head) {
        struct node *old = head;
        head = old->next;
        free(old);
    }
    return 0;
}
