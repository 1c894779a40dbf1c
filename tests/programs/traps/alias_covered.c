// T-ALIAS, safe twin: i != j on every path, so each cell has one writer.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
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
    __VERIFIER_assume(i != j);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(v[i] == 1 && v[j] == 2);
    return 0;
}
