// T-RWLOCK: two threads write under read locks, which do not exclude each other.
// Broken: both read x == 0 and both write 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *add(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    x = x + 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
