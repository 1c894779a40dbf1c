// Peterson's algorithm: mutual exclusion for two threads from plain reads and writes.
//
// A thread says that it wants to enter (its flag), lets the other go first (turn), and waits while the other wants
// to enter and has the turn. The two writes must happen in this order: swap them and both threads can enter.
// The proof needs no bound on the number of spins. It holds for sequential consistency only: real processors
// delay writes, which is why the flags should be C11 atomics in a real program (they race as plain integers).
//
//     threadproof verify examples/peterson.c
//     threadproof verify examples/peterson.c --memory-model tso
//
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int wants_first, wants_second; // does the thread want to enter?
int turn;                      // who goes first if both do
int inside;                    // who is in the critical section

void *first(void *arg)
{
    wants_first = 1;
    turn = 2;
    while (wants_second && turn == 2)
        ;
    inside = 1;
    assert(inside == 1); // nobody else came in
    wants_first = 0;
    return 0;
}

void *second(void *arg)
{
    wants_second = 1;
    turn = 1;
    while (wants_first && turn == 1)
        ;
    inside = 2;
    assert(inside == 2);
    wants_second = 0;
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
