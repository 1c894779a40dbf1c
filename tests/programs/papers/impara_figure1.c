// Figure 1 of the Impara paper with the assertion that does hold.
// Safe: i != j, so second is the only writer of v[j].
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

int v[2];
int i, j;

void *first(void *arg)
{
    v[i] = 1;
    v[i] = v[i] + 1;
    v[i] = v[j];
    return 0;
}

void *second(void *arg)
{
    v[j] = -2;
    v[j] = v[j] + 1;
    v[i] = v[i] + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    i = __VERIFIER_nondet_bool();
    j = __VERIFIER_nondet_bool();
    __VERIFIER_assume(i != j);
    v[i] = 0;
    v[j] = 0;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(v[j] == -1);
    return 0;
}
