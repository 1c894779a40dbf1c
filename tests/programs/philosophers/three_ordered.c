// Three dining philosophers who take the lower-numbered fork first: the last one reaches right before left.
// Safe: locks are taken in one global order, so no cycle of waiting can close.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t forks[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int meals[3];

void *philosopher(void *arg)
{
    int me = (int)(long)arg;
    int low = me == 2 ? 0 : me;
    int high = me == 2 ? 2 : me + 1;
    pthread_mutex_lock(&forks[low]);
    pthread_mutex_lock(&forks[high]);
    meals[me]++;
    pthread_mutex_unlock(&forks[high]);
    pthread_mutex_unlock(&forks[low]);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, philosopher, (void *)0L);
    pthread_create(&b, 0, philosopher, (void *)1L);
    pthread_create(&c, 0, philosopher, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(meals[0] == 1 && meals[1] == 1 && meals[2] == 1);
    return 0;
}
