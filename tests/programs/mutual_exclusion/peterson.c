// Peterson's algorithm (1981), two threads.
// Safe under sequential consistency: each raises its flag before it gives the turn away.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag[2], turn, inside;

void *enter(void *arg)
{
    int me = *(int *)arg;
    int other = 1 - me;
    flag[me] = 1;
    turn = other;
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
