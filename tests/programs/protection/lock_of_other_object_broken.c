/* The lock of one object does not protect another one of the same kind. */
// expect: no-data-race false
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account first, second;

static void deposit(struct account *account, struct account *locked)
{
    pthread_mutex_lock(&locked->lock);
    account->balance++;
    pthread_mutex_unlock(&locked->lock);
}

static void *clerk(void *arg)
{
    deposit(arg, arg);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, clerk, &first);
    deposit(&first, &second);
    return 0;
}
