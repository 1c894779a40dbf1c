// Dijkstra's dining philosophers, three of them, each taking the left fork first: the table can starve.
//
// If all three pick up their left fork, each waits for a fork that its neighbour holds. Nobody ever eats with a
// fork that somebody else is using, though: the assertion holds. Let one philosopher take the right fork first
// (or number the forks and take the lower one first) and the deadlock is gone.
//
//     threadproof verify examples/philosophers.c
//     threadproof verify examples/philosophers.c --property no-deadlock
//
// expect: unreach-call true
// expect: no-deadlock false
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

#define SEATS 3

pthread_mutex_t fork_lock[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int fork_user[SEATS]; // 0: on the table, otherwise 1 + the philosopher who eats with it

void *philosopher(void *arg)
{
    int me = (int)(long)arg;
    int left = me, right = (me + 1) % SEATS;

    pthread_mutex_lock(&fork_lock[left]);
    pthread_mutex_lock(&fork_lock[right]);
    fork_user[left] = fork_user[right] = me + 1;
    assert(fork_user[left] == me + 1 && fork_user[right] == me + 1);
    fork_user[left] = fork_user[right] = 0;
    pthread_mutex_unlock(&fork_lock[right]);
    pthread_mutex_unlock(&fork_lock[left]);
    return 0;
}

int main(void)
{
    pthread_t seat[SEATS];
    for (long i = 0; i < SEATS; i++)
        pthread_create(&seat[i], 0, philosopher, (void *)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(seat[i], 0);
    return 0;
}
