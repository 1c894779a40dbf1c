// Peterson's filter lock for three threads with one level only.
// Broken: all three reach the level, T2 as its victim; T0 and T1 are no longer the victim and enter together.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int level[3], victim, inside;

void *enter(void *arg)
{
    int me = (int)(long)arg;
    level[me] = 1;
    victim = me;
    while (victim == me && (level[(me + 1) % 3] || level[(me + 2) % 3]))
        ;
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
