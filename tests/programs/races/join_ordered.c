/* Each thread is joined before the next one is created. */
// expect: no-data-race true
#include <pthread.h>

int x;

void *first(void *arg)
{
    (void)arg;
    x++;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    x++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    x = 1;
    pthread_create(&a, 0, first, 0);
    pthread_join(a, 0);
    x++;
    pthread_create(&b, 0, second, 0);
    pthread_join(b, 0);
    return x;
}
