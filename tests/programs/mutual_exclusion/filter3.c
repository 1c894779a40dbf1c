// Peterson's filter lock for three threads: two waiting levels, each holds back its last arrival (its victim).
// Safe under sequential consistency: each level lets at least one thread less through.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
// explore: unknown
#include <assert.h>
#include <pthread.h>

int level[3], victim[3], inside;

int somebody_at(int me, int at)
{
    for (int k = 0; k < 3; k++)
        if (k != me && level[k] >= at)
            return 1;
    return 0;
}

void *enter(void *arg)
{
    int me = (int)(long)arg;
    for (int at = 1; at < 3; at++) {
        level[me] = at;
        victim[at] = me;
        while (victim[at] == me && somebody_at(me, at))
            ;
    }
    inside = me + 1;
    assert(inside == me + 1);
    level[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, enter, (void *)0L);
    pthread_create(&b, 0, enter, (void *)1L);
    pthread_create(&c, 0, enter, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
