/* A transfer takes the mutex of the wrong account. */
// expect: no-data-race false
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account one = { PTHREAD_MUTEX_INITIALIZER, 0 }, two = { PTHREAD_MUTEX_INITIALIZER, 0 };

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&one.lock);
    two.balance++;
    pthread_mutex_unlock(&one.lock);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&two.lock);
    two.balance++;
    pthread_mutex_unlock(&two.lock);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
