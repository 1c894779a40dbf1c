// T-UNCOV3: three threads with back edges; uncovering an inner node must requeue its unfinished leaves.
// Broken: first passes its check and writes x = 1; second copies it, y = 1; first jumps back and fails its check.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x, y;

void *first(void *arg)
{
    if (x == 1)
        goto write;
check:;
    assert(y != 1);
write:;
    x = 1;
    if (x != 0)
        goto check;
    return 0;
}

void *second(void *arg)
{
    assert(y != 1);
    y = x;
    return 0;
}

void *third(void *arg)
{
again:;
    if (__VERIFIER_nondet_bool())
        goto test;
    if (__VERIFIER_nondet_bool())
        return 0;
test:;
    if (y != 0)
        goto again;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
