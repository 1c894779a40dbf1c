/* The barrier waits for one more thread than comes. */
// expect: no-deadlock false
#include <pthread.h>

pthread_barrier_t met;

void *first(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&met);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&met);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&met, 0, 3);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
