// An assertion over local data fails, and then the thread spins without touching anything shared.
// Guards that an error inside a run of local steps is seen at once: the run has no end.
// Broken: the input is 1.
// expect: unreach-call false
// expect: termination false
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

void *first(void *arg)
{
    x = 1;
    return 0;
}

void *second(void *arg)
{
    int input = __VERIFIER_nondet_bool();
    assert(input == 0);
    for (;;)
        input = !input;
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
