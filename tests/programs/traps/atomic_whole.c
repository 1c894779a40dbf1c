// T-ATOM2: nobody may see an atomic section half done.
// Safe: x and y become 1 together, and first reads them in one section of its own.
// expect: unreach-call true
// expect: no-deadlock true
// expect: termination true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

void *first(void *arg)
{
    __VERIFIER_atomic_begin();
    assert(!(x == 1 && y == 0));
    __VERIFIER_atomic_end();
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
