// A compare-and-exchange that succeeds writes: a plain read at the same time is a race.
// expect: no-data-race false
#include <pthread.h>

int value = 1;
int seen;

void *swapper(void *unused)
{
    __sync_bool_compare_and_swap(&value, 1, 9);
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
