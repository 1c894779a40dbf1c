// Two dining philosophers (Dijkstra), left fork first.
// Deadlocks: each holds its left fork and waits for the other's.
// expect: no-deadlock false
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t fork0 = PTHREAD_MUTEX_INITIALIZER, fork1 = PTHREAD_MUTEX_INITIALIZER;
int eating;

void *first(void *arg)
{
    pthread_mutex_lock(&fork0);
    pthread_mutex_lock(&fork1);
    eating++;
    assert(eating == 1);
    eating--;
    pthread_mutex_unlock(&fork1);
    pthread_mutex_unlock(&fork0);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&fork1);
    pthread_mutex_lock(&fork0);
    eating++;
    assert(eating == 1);
    eating--;
    pthread_mutex_unlock(&fork0);
    pthread_mutex_unlock(&fork1);
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
