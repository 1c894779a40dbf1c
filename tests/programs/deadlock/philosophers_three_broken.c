/* Three philosophers, each of whom takes the left fork first (Dijkstra). */
// expect: no-deadlock false
#include <pthread.h>

enum { N = 3 };

pthread_mutex_t fork_[N];

void *philosopher(void *arg)
{
    int i = (int)(long)arg;
    int left = i, right = (i + 1) % N;
    pthread_mutex_lock(&fork_[left]);
    pthread_mutex_lock(&fork_[right]);
    pthread_mutex_unlock(&fork_[right]);
    pthread_mutex_unlock(&fork_[left]);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
