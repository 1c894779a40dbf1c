// T-ALIAS, sharper: on one branch the writes are independent, and what is asserted needs no label that says so. The other branch, where they are
// not, must not be covered by it. (Without labels for the reason of a skip, one of these is called correct.)
// Broken: i == j, second writes 2, then first writes 1.
// expect: unreach-call false
#include <pthread.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

int v[2];
int i, j, x;

void *first(void *arg)
{
    v[i] = 1;
    x = 1;
    return 0;
}

void *second(void *arg)
{
    v[j] = 2;
    x = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    i = __VERIFIER_nondet_bool();
    j = __VERIFIER_nondet_bool();
    if (__VERIFIER_nondet_bool())
        __VERIFIER_assume(i != j);
    else
        __VERIFIER_assume(i == j);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (v[j] != 2) reach_error();
    return 0;
}
