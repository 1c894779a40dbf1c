// Two threads share a heap cell without a lock.
// Broken: both read 0, both write 10.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *deposit(void *arg)
{
    int *balance = arg;
    *balance += 10;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int *balance = calloc(1, sizeof *balance);
    if (!balance)
        return 0;
    pthread_create(&a, 0, deposit, balance);
    pthread_create(&b, 0, deposit, balance);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(*balance == 20);
    free(balance);
    return 0;
}
