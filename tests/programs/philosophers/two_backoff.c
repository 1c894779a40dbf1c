// Two dining philosophers who put the first fork back when the second is taken (trylock).
// Safe: nobody waits while holding a fork. They may back off for ever under an unfair scheduler, which is no deadlock.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t forks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int eating;

void *philosopher(void *arg)
{
    int me = (int)(long)arg;
    for (;;) {
        pthread_mutex_lock(&forks[me]);
        if (pthread_mutex_trylock(&forks[1 - me]) == 0)
            break;
        pthread_mutex_unlock(&forks[me]);
    }
    eating++;
    assert(eating == 1);
    eating--;
    pthread_mutex_unlock(&forks[1 - me]);
    pthread_mutex_unlock(&forks[me]);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, philosopher, (void *)0L);
    pthread_create(&b, 0, philosopher, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
