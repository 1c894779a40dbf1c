// Two threads wait for each other's end.
// expect: termination false
#include <pthread.h>
pthread_t a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(b, 0);
    return arg;
}

void *second(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return arg;
}

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
