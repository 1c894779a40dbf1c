// Transfers between two accounts take the locks in the order of the accounts' numbers, whichever comes first as an argument.
//
// expect: no-deadlock true
// auto: unknown
#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    int balance;
} account_t;

void account_init(account_t *account)
{
    pthread_mutex_init(&account->lock, 0);
    account->balance = 0;
}

void account_transfer(account_t *from, account_t *to, int amount)
{
    if (from == to) return;
    account_t *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount > 0;
    to->balance += amount > 0;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}
