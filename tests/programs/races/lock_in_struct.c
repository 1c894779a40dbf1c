/* Each account has its own mutex, and each access takes the mutex of its account. */
// expect: no-data-race true
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account one = { PTHREAD_MUTEX_INITIALIZER, 0 }, two = { PTHREAD_MUTEX_INITIALIZER, 0 };

void deposit(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    account->balance++;
    pthread_mutex_unlock(&account->lock);
}

void *first(void *arg)
{
    (void)arg;
    deposit(&one);
    deposit(&two);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    deposit(&two);
    deposit(&one);
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
