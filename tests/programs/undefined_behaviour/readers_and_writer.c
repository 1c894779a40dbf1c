// Readers and a writer, each of whom unlocks what it locked.
// expect: undefined-behaviour true
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, seen;

void *reader(void *arg)
{
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    int y = x;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    return y ? arg : 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
