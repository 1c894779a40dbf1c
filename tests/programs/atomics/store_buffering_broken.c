// The store-buffering shape with the wrong claim that exactly one thread sees the other's store.
// Broken: both stores, then both loads: both see 1.
// expect: unreach-call false
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_x, seen_y;

void *left(void *arg)
{
    x = 1;
    seen_y = y;
    return 0;
}

void *right(void *arg)
{
    y = 1;
    seen_x = x;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen_x + seen_y == 1);
    return 0;
}
