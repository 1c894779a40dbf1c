/* Atomic sections do not race with each other. */
// expect: no-data-race true
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *first(void *arg)
{
    (void)arg;
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    __VERIFIER_atomic_begin();
    x++;
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
