/* Joining oneself returns EDEADLK at once. */
// expect: no-deadlock true
#include <pthread.h>

int main(void)
{
    return pthread_join(pthread_self(), 0) == 0;
}
