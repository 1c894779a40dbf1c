/* Main writes what a thread reads, after it has created the thread. */
// expect: no-data-race false
#include <pthread.h>

int limit, seen;

void *first(void *arg)
{
    (void)arg;
    seen = limit;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    limit = 5;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
