/* A run of steps ends at a loop head, here in the middle of an atomic section. The steps up to there touch nothing that the other
   thread touches, and still they do not commute with it: after them the other thread cannot move. Whoever forgets that
   believes that the store always comes after the section. */
// expect: unreach-call false
#include <pthread.h>

extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, turns;

void *store(void *arg)
{
    (void)arg;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, store, 0);
    __VERIFIER_atomic_begin();
    for (int i = 0; i < 2; i++)
        turns++;
    if (x == 1)
        reach_error();
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
