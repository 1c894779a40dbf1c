/* Two threads increment a counter without a lock. */
// expect: no-data-race false
#include <pthread.h>

int counter;

void *first(void *arg)
{
    (void)arg;
    counter++;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    counter++;
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
