/* A barrier separates the writes from the reads. */
// expect: no-data-race true
#include <pthread.h>

int x, y, sum;
pthread_barrier_t met;

void *first(void *arg)
{
    (void)arg;
    x = 1;
    pthread_barrier_wait(&met);
    sum = x + y;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    y = 1;
    pthread_barrier_wait(&met);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&met, 0, 2);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
