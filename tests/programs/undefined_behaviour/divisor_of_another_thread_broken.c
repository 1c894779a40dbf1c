// Another thread clears the divisor between the test and the division.
// expect: undefined-behaviour false
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
    int result = 0;
    if (divisor != 0)
        result = 10 / divisor;
    pthread_join(t, 0);
    return result;
}
