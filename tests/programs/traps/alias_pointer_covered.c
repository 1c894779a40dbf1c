// Safe twin: the pointers never meet.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x, y;
int *p, *q;

void *first(void *arg)
{
    *p = 1;
    return 0;
}

void *second(void *arg)
{
    *q = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    p = __VERIFIER_nondet_bool() ? &x : &y;
    q = p == &x ? &y : &x;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(*p == 1 && *q == 2);
    return 0;
}
