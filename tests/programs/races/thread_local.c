/* Every thread has its own copy. */
// expect: no-data-race true
#include <pthread.h>

_Thread_local int mine;

void *first(void *arg)
{
    (void)arg;
    mine++;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    mine++;
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
