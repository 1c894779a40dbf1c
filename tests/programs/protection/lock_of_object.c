/* Each object has a lock of its own. Any number of threads get one of the objects; what protects a counter is the lock at the same
   distance from it, whichever object it is. */
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct account {
    pthread_mutex_t lock;
    int balance;
};

static void deposit(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    account->balance++;
    pthread_mutex_unlock(&account->lock);
}

static void *clerk(void *arg)
{
    deposit(arg);
    return 0;
}

static struct account *opened(void)
{
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, 0);
    account->balance = 0;
    return account;
}

int main(void)
{
    struct account *first = opened(), *second = opened();
    while (__VERIFIER_nondet_bool()) {
        pthread_t id;
        pthread_create(&id, 0, clerk, __VERIFIER_nondet_bool() ? first : second);
    }
    deposit(first);
    return 0;
}
