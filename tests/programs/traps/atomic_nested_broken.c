// T-NESTATOMIC: leaving an inner atomic section leaves the outer one in force, and does not cut the path.
// Broken: second's section is complete, y is 1.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

void set_x(void)
{
    __VERIFIER_atomic_begin();
    x = 1;
    __VERIFIER_atomic_end();
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    set_x();
    y = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, second, 0);
    pthread_join(a, 0);
    assert(y == 0);
    return 0;
}
