/* A volatile flag is no synchronisation: the accesses to it race. */
// expect: no-data-race false
#include <pthread.h>

volatile int flag;

void *first(void *arg)
{
    (void)arg;
    flag = 1;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    while (!flag)
        ;
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
