/* Threads only read what main has written before it created them. */
// expect: no-data-race true
#include <pthread.h>

int limit;
int seen[2];

void *first(void *arg)
{
    (void)arg;
    seen[0] = limit;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    seen[1] = limit;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    limit = 5;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
