// Two threads join the same thread.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_t t;

void *nothing(void *arg)
{
    return arg;
}

void *joins(void *arg)
{
    pthread_join(t, 0);
    return arg;
}

int main(void)
{
    pthread_t other;
    pthread_create(&t, 0, nothing, 0);
    pthread_create(&other, 0, joins, 0);
    pthread_join(t, 0);
    pthread_join(other, 0);
    return 0;
}
