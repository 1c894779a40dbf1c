// T-COVEXP: the bug shows only between the two writes of `second`; a covered node must still expand the thread
// that partial-order reduction skipped at the covering one.
// Broken: second takes its branch and writes 1, first reads 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

void *first(void *arg)
{
    assert(x == 0);
    return 0;
}

void *second(void *arg)
{
    if (__VERIFIER_nondet_bool())
        x = 1;
    x = 0;
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
