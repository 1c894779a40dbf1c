// T-ATOM: the atomic section's first write matters, not only its last action.
// Broken: second runs its section before first looks.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

void *first(void *arg)
{
    assert(x == 0);
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x = 1;
    y = 0;
    __VERIFIER_atomic_end();
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
