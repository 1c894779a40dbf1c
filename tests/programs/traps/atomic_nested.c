// T-NESTATOMIC, safe twin: the inner end must not open the outer section.
// Safe: first, reading atomically, sees both writes or neither.
// expect: unreach-call true
// expect: no-deadlock true
// expect: termination true
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

void *first(void *arg)
{
    __VERIFIER_atomic_begin();
    int seen_x = x;
    int seen_y = y;
    __VERIFIER_atomic_end();
    assert(seen_x == seen_y);
    return 0;
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
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
