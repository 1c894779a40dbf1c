// T-CTXBOUND: the bug needs four context switches between the two threads (after main has created them).
// Broken: first x=1; second y=1; first x=2; second y=2; first fails.
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
    if (y == 1) {
        x = 2;
        if (y == 2)
            assert(0);
    }
    return 0;
}

void *second(void *arg)
{
    if (x == 1) {
        y = 1;
        if (x == 2)
            y = 2;
    }
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
