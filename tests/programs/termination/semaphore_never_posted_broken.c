// One wait more than posts.
// expect: termination false
#include <pthread.h>
#include <semaphore.h>
sem_t ping;

void *worker(void *arg)
{
    sem_post(&ping);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&ping, 0, 0);
    pthread_create(&t, 0, worker, 0);
    sem_wait(&ping);
    sem_wait(&ping);
    pthread_join(t, 0);
    return 0;
}
