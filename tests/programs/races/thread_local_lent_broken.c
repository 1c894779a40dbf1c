/* A thread publishes the address of its own copy. */
// expect: no-data-race false
#include <pthread.h>

_Thread_local int mine;
int *published;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t met;

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    published = &mine;
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&met);
    mine++;
    pthread_barrier_wait(&met);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&m);
    int *p = published;
    pthread_mutex_unlock(&m);
    ++*p;
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
