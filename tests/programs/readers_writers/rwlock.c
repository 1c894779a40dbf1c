// pthread_rwlock: two readers and one writer of a pair that must stay equal.
// Safe: the writer excludes the readers.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t w, r1, r2;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    return 0;
}
