// The smallest program that loses a state when an atomic section is compared by its last action only.
// Guards the union of all accesses of a section: x++ and y = 2 happen between first's two writes.
// Broken: first writes x = 1; second makes x 2 and y 2; first writes y = 0.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

void *first(void *arg)
{
    x = 1;
    y = 0;
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x++;
    y = 2;
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
    assert(!(x == 2 && y == 0));
    return 0;
}
