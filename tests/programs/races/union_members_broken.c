/* Members of a union share their bytes. */
// expect: no-data-race false
#include <pthread.h>

union { int word; char bytes[4]; } u;

void *first(void *arg)
{
    (void)arg;
    u.word = 1;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    u.bytes[2] = 2;
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
