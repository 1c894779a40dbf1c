// Dekker's algorithm (Dijkstra, 1965), two threads: an intention flag each, `turn` breaks the tie.
// Safe under sequential consistency: a thread enters only after it raised its flag and then saw the other's down.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, inside;

void *first(void *arg)
{
    flag0 = 1;
    while (flag1) {
        if (turn != 0) {
            flag0 = 0;
            while (turn != 0)
                ;
            flag0 = 1;
        }
    }
    inside = 1;
    assert(inside == 1);
    inside = 0;
    turn = 1;
    flag0 = 0;
    return 0;
}

void *second(void *arg)
{
    flag1 = 1;
    while (flag0) {
        if (turn != 1) {
            flag1 = 0;
            while (turn != 1)
                ;
            flag1 = 1;
        }
    }
    inside = 2;
    assert(inside == 2);
    inside = 0;
    turn = 0;
    flag1 = 0;
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
