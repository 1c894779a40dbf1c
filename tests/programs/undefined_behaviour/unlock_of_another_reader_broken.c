// A thread unlocks a readers–writer lock that only another thread holds, for reading.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg)
{
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_rwlock_rdlock(&l);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
