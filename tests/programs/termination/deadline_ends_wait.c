// A wait with a deadline ends by a signal or by the deadline, which it reports; and a weak compare-and-exchange does not fail for ever.
// expect: termination true
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
_Atomic int counter;

int main(void)
{
    struct timespec deadline = {1, 0};
    int ready = 0, result = 0, old = counter;
    pthread_mutex_lock(&lock);
    while (!ready && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&changed, &lock, &deadline);
    pthread_mutex_unlock(&lock);
    while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
        ;
    return 0;
}
