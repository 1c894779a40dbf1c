// A compare-and-swap spinlock whose second thread forgets to look at the result.
// Broken: first swaps 0 to 1 and does inside++; second's swap fails, it goes in anyway, inside becomes 2.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int busy, inside;

void *careful(void *arg)
{
    while (!__sync_bool_compare_and_swap(&busy, 0, 1))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    __sync_lock_release(&busy);
    return 0;
}

void *careless(void *arg)
{
    __sync_val_compare_and_swap(&busy, 0, 1);
    inside++;
    inside--;
    __sync_lock_release(&busy);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, careful, 0);
    pthread_create(&b, 0, careless, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
