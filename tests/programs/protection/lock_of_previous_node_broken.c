/* The pointer moves on while the lock of the node before is held. */
// expect: no-data-race false
#include <pthread.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node second, first = { .next = &second };

static void *walker(void *arg)
{
    struct node *p = arg;
    pthread_mutex_lock(&p->lock);
    struct node *locked = p;
    p = p->next;
    p->value++;
    pthread_mutex_unlock(&locked->lock);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, walker, &first);
    pthread_mutex_lock(&second.lock);
    second.value++;
    pthread_mutex_unlock(&second.lock);
    return 0;
}
