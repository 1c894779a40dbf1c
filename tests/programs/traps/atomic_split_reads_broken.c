// T-ATOM2, the other order: reading y first and x later is not one step, so "y old, x new" can be seen.
// Broken: first reads y==0; second runs its section; first reads x==1.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

void *first(void *arg)
{
    int old_y = y;
    int new_x = x;
    assert(!(new_x == 1 && old_y == 0));
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x = 1;
    y = 1;
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
