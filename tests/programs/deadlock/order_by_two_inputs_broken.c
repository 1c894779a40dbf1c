/* Each thread decides by an input of its own in which order it takes two locks. */
// expect: no-deadlock false
// explore: unknown
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void both(unsigned mode)
{
    pthread_mutex_t *first = mode > 1000 ? &a : &b, *second = mode > 1000 ? &b : &a;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

void *worker(void *arg)
{
    (void)arg;
    both(__VERIFIER_nondet_uint());
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    both(__VERIFIER_nondet_uint());
    pthread_join(t, 0);
    return 0;
}
