// T-COVEXP2: the smallest program on which the literal cover-expansion rule of the Impact paper answers "safe".
// Broken: second: x = 0, y = 1; first: x = y makes x 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int x, y;

void *first(void *arg)
{
    x = y;
    assert(x != 1);
    return 0;
}

void *second(void *arg)
{
    x = 0;
    y = 1;
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
