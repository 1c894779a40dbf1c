// The two writes are independent where p and q differ; that was shown for a path that chose so, the other path joins it.
// Guards that independence which rests on values strengthens the labels with the reason, so that no cover brings in a
// state where the pointers meet.
// Broken: p == q, second writes 2, then first writes 1.
// expect: unreach-call false
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
    q = __VERIFIER_nondet_bool() ? &x : &y;
    if (p == q && __VERIFIER_nondet_bool())
        q = p == &x ? &y : &x;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(p != q || *p == 2);
    return 0;
}
