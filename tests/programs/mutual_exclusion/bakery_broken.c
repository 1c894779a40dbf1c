// The bakery algorithm without `choosing`.
// Broken: T0 reads ticket[1]==0 and pauses; T1 takes ticket 1, sees ticket[0]==0, enters; T0 stores its ticket 1,
// wins the tie and enters too.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int ticket[2], inside;

void *enter(void *arg)
{
    int me = (int)(long)arg;
    int other = 1 - me;
    ticket[me] = ticket[other] + 1;
    for (;;) {
        int theirs = ticket[other];
        int mine = ticket[me];
        if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
            break;
    }
    inside = me + 1;
    assert(inside == me + 1);
    ticket[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)0L);
    pthread_create(&b, 0, enter, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
