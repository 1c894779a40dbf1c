/* Bit-fields of one unit are one memory location (C11 3.14). */
// expect: no-data-race false
#include <pthread.h>

struct { unsigned a : 4, b : 4; } s;

void *first(void *arg)
{
    (void)arg;
    s.a = 1;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    s.b = 2;
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
