/* The mutex is taken and given back by functions of their own. */
// expect: no-data-race true
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void enter(void)
{
    pthread_mutex_lock(&m);
}

void leave(void)
{
    pthread_mutex_unlock(&m);
}

void *first(void *arg)
{
    (void)arg;
    enter();
    x++;
    leave();
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    enter();
    x--;
    leave();
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
