// A thread that is blocked at a lock is not finished: it goes on when the lock is free.
// Guards the ghost reads of blocking actions: first has the smaller number and is enabled only after second's last step.
// Broken: second locks, writes, unlocks; first locks and sees the 1.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, locked;

void *first(void *arg)
{
    if (!locked)
        return 0;
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&m);
    locked = 1;
    x = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
