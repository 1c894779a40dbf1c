// The program ends when second calls exit, but first may run before that.
// Guards that the end of the program is dependent with every step: no thread may be put off past it.
// Broken: first runs, sees x == 1 between second's two steps.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

void *first(void *arg)
{
    assert(x == 0);
    return 0;
}

void *second(void *arg)
{
    x = 1;
    exit(0);
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
