// An assertion fails inside an atomic section that never ends, for the assumption after it fails.
// Guards that errors inside a block are seen at once, not where the block ends.
// Broken: second's section alone.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int x;

void *first(void *arg)
{
    x = 0;
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x = 1;
    assert(x == 0);
    __VERIFIER_assume(0);
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
