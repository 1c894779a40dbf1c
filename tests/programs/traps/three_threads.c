// T-3THR, safe twin: third writes y only after it saw first's write, so second, reading y before x, sees both.
// expect: unreach-call true
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
    int seen_y = y;
    int seen_x = x;
    assert(!(seen_y == 1 && seen_x == 0));
    return 0;
}

void *third(void *arg)
{
    if (x == 1)
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
