/* The one mutex is reached through a pointer by one thread and by its name by the other. */
// expect: no-data-race true
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *p = &m;

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(p);
    x++;
    pthread_mutex_unlock(p);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
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
