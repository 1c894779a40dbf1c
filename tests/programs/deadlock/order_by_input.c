/* An input decides in which order locks are taken; as all threads read the same one, the order is the same for all. */
// expect: no-deadlock true
// explore: unknown
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
unsigned mode;

void both(void)
{
    pthread_mutex_t *first = mode > 10 ? &a : &b, *second = mode > 10 ? &b : &a;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

void *worker(void *arg)
{
    (void)arg;
    both();
    return 0;
}

int main(void)
{
    pthread_t t;
    mode = __VERIFIER_nondet_uint();
    pthread_create(&t, 0, worker, 0);
    both();
    pthread_join(t, 0);
    return 0;
}
