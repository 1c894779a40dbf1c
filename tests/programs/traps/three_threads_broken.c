// T-3THR: first and third are independent, second depends on both.
// Broken: second sees third's write and not first's.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x, y;

void *first(void *arg)
{
    x = 1;
    return 0;
}

void *second(void *arg)
{
    int seen_x = x;
    int seen_y = y;
    assert(!(seen_x == 0 && seen_y == 1));
    return 0;
}

void *third(void *arg)
{
    y = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
