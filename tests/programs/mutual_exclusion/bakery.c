// Lamport's bakery algorithm (1974), two threads, one visit each (so the tickets stay small).
// Safe under sequential consistency: `choosing` hides a ticket that is being written; ties go to the lower number.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int choosing[2], ticket[2], inside;

void *enter(void *arg)
{
    int me = (int)(long)arg;
    int other = 1 - me;
    choosing[me] = 1;
    ticket[me] = ticket[other] + 1;
    choosing[me] = 0;
    while (choosing[other])
        ;
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
