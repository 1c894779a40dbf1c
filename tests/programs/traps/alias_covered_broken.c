// T-ALIAS: the writes are independent on the branch that assumes i != j; the other branch joins it and may be
// covered, but there they are not.
// Broken: i == j, second writes 2, then first writes 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

int v[2];
int i, j;

void *first(void *arg)
{
    v[i] = 1;
    return 0;
}

void *second(void *arg)
{
    v[j] = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    i = __VERIFIER_nondet_bool();
    j = __VERIFIER_nondet_bool();
    if (__VERIFIER_nondet_bool())
        __VERIFIER_assume(i != j);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i != j || v[i] == 2);
    return 0;
}
