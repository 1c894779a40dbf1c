// Peterson's algorithm with its first two writes swapped: the turn is given away before the flag is raised.
// Broken: T0: turn=1. T1: turn=0; flag1=1; sees flag0==0 and enters. T0: flag0=1; sees turn==0 and enters too.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag[2], turn, inside;

void *enter(void *arg)
{
    int me = *(int *)arg;
    int other = 1 - me;
    turn = other;
    flag[me] = 1;
    while (flag[other] && turn == other)
        ;
    inside = me + 1;
    assert(inside == me + 1);
    flag[me] = 0;
    return 0;
}

int main(void)
{
    int id[2] = {0, 1};
    pthread_t a, b;
    pthread_create(&a, 0, enter, &id[0]);
    pthread_create(&b, 0, enter, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
