// Which cell the index means is constant on each path, but another thread chose it.
// Guards that a fact about this path that was used to resolve an access stays in the label: two nodes that differ in the
// index alone must not cover each other.
// Broken: second chooses 1 and writes a[1], so a[0] stays 0.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int a[2], i;

void *first(void *arg)
{
    i = __VERIFIER_nondet_bool() ? 0 : 1;
    return 0;
}

void *second(void *arg)
{
    a[i] = 1;
    return 0;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_join(s, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    assert(a[0] == 1);
    return 0;
}
