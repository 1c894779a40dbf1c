// Polling without ever giving the lock back.
// expect: termination false
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;

void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    pthread_mutex_lock(&m);
    while (!done)
        ;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
