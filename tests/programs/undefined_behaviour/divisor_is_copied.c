// The divisor is read once, so that no other thread can change it between the test and the division.
// expect: undefined-behaviour true
// expect: unreach-call true
#include <pthread.h>
#include <stdatomic.h>

atomic_int divisor = 2;

void *clear(void *arg)
{
    divisor = 0;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, clear, 0);
    int result = 0, by = divisor;
    if (by != 0)
        result = 10 / by;
    pthread_join(t, 0);
    return result;
}
