// A compare-and-exchange that fails only reads its object, so that a plain read at the same time is no race.
// expect: no-data-race true
#include <pthread.h>

int value = 1;
int seen;

void *swapper(void *unused)
{
    int expected = 7;
    if (__atomic_compare_exchange_n(&value, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        value = 2;
    __sync_bool_compare_and_swap(&value, 8, 9);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, swapper, 0);
    seen = value;
    pthread_join(thread, 0);
    return 0;
}
