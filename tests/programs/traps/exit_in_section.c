// A thread ends the whole program in the step that makes x 1.
// Guards that nothing happens after the program's end, for whichever thread and in whichever order.
// Safe: where x is 1, nobody is there to look.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *first(void *arg)
{
    assert(x == 0);
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x = 1;
    exit(0);
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
