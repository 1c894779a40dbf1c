/* Members next to each other are different memory locations, also if they are smaller than a word. */
// expect: no-data-race true
#include <pthread.h>

struct { char a, b; short c; } s;

void *first(void *arg)
{
    (void)arg;
    s.a++;
    s.c = 1;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    s.b++;
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
