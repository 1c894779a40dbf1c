/* Two threads join each other. */
// expect: no-deadlock false
#include <pthread.h>

pthread_t t[2];
pthread_barrier_t met;

void *first(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&met);
    pthread_join(t[1], 0);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&met);
    pthread_join(t[0], 0);
    return 0;
}

int main(void)
{
    pthread_barrier_init(&met, 0, 3);
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_barrier_wait(&met);
    pthread_exit(0);
}
