// Transfers between two accounts take the locks in the order of the arguments: two clients that transfer in opposite
// directions wait for each other.
//
// expect: no-deadlock false
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
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount > 0;
    to->balance += amount > 0;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
