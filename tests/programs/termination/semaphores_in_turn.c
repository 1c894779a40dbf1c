// Two threads take turns, twice.
// expect: termination true
#include <pthread.h>
#include <semaphore.h>
sem_t ping, pong;

void *worker(void *arg)
{
    for (int n = 0; n < 2; n++) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&t, 0, worker, 0);
    for (int n = 0; n < 2; n++) {
        sem_wait(&pong);
        sem_post(&ping);
    }
    pthread_join(t, 0);
    return 0;
}
