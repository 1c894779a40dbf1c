// Three philosophers and a waiter (a semaphore of two): at most two sit down, so one of them gets both forks.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t forks[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
sem_t seats;

void *philosopher(void *arg)
{
    int me = (int)(long)arg;
    sem_wait(&seats);
    pthread_mutex_lock(&forks[me]);
    pthread_mutex_lock(&forks[(me + 1) % 3]);
    pthread_mutex_unlock(&forks[(me + 1) % 3]);
    pthread_mutex_unlock(&forks[me]);
    sem_post(&seats);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    sem_init(&seats, 0, 2);
    pthread_create(&a, 0, philosopher, (void *)0L);
    pthread_create(&b, 0, philosopher, (void *)1L);
    pthread_create(&c, 0, philosopher, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
