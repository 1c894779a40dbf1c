// An input is read again and again while another thread looks at what was derived from it.
// Guards the elimination of an input from a label: what held of the old input need not hold of the new one.
// Safe: x is written only after it was tested.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

void *first(void *arg)
{
    for (;;) {
        int input = __VERIFIER_nondet_bool() + __VERIFIER_nondet_bool();
        if (input > 1)
            continue;
        x = input;
    }
}

void *second(void *arg)
{
    int seen = x;
    assert(seen <= 1);
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
