// Lamport's fast mutex without the wait for the other's b flag on the slow path (b is then useless and left out).
// Broken: T2: x=2, sees y==0. T1: x=1, sees y==0, y=1, sees x==1, enters. T2: y=2, sees x!=2, y==2, enters.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int x, y, inside;

void *enter(void *arg)
{
    int me = (int)(long)arg;
start:
    x = me;
    if (y != 0) {
        while (y != 0)
            ;
        goto start;
    }
    y = me;
    if (x != me) {
        if (y != me) {
            while (y != 0)
                ;
            goto start;
        }
    }
    inside = me;
    assert(inside == me);
    y = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)1L);
    pthread_create(&b, 0, enter, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
