// An assumption that fails now may hold after another thread's step: "fails" and "is made true" are in conflict.
// Guards the rule that a thread whose next action is not possible is tried again at every later node.
// Broken: second writes, then first's assumption holds.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int x;

void *first(void *arg)
{
    __VERIFIER_assume(x == 1);
    assert(0);
    return 0;
}

void *second(void *arg)
{
    x = 1;
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
