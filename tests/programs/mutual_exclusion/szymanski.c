// Szymanski's algorithm (1988) for two threads: a waiting room whose door closes behind a group (flags 0 to 4).
// Safe under sequential consistency: the higher thread waits for the lower one inside the room, the lower one
// holds the door open on its way out until nobody is in the doorway.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag0, flag1, inside;

void *lower(void *arg)
{
    int seen;
    flag0 = 1;
    while (flag1 >= 3)
        ;
    flag0 = 3;
    if (flag1 == 1) {
        flag0 = 2;
        while (flag1 != 4)
            ;
    }
    flag0 = 4;
    inside = 1;
    assert(inside == 1);
    do
        seen = flag1;
    while (seen == 2 || seen == 3);
    flag0 = 0;
    return 0;
}

void *higher(void *arg)
{
    flag1 = 1;
    while (flag0 >= 3)
        ;
    flag1 = 3;
    if (flag0 == 1) {
        flag1 = 2;
        while (flag0 != 4)
            ;
    }
    flag1 = 4;
    while (flag0 >= 2)
        ;
    inside = 2;
    assert(inside == 2);
    flag1 = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, lower, 0);
    pthread_create(&b, 0, higher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
