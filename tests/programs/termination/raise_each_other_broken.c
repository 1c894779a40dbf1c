// Each of two threads runs after a bound that the other one raises.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned char x = 1, y = 1;

void *first(void *arg)
{
    while (x > 0) {
        __VERIFIER_atomic_begin();
        x--;
        y = 3;
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *second(void *arg)
{
    while (y > 0) {
        __VERIFIER_atomic_begin();
        y--;
        x = 3;
        __VERIFIER_atomic_end();
    }
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
