/* Copying a record reads the member that the other thread writes. */
// expect: no-data-race false
#include <pthread.h>

struct pair { int a, b; } s, copy;

void *first(void *arg)
{
    (void)arg;
    copy = s;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    s.b = 1;
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
