// A handler that takes a mutex which the interrupted thread holds waits for ever.
// expect: unreach-call true
// expect: no-deadlock false
// expect: no-data-race true
#include <pthread.h>
#include <signal.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

void handler(int signal)
{
    pthread_mutex_lock(&mutex);
    shared = 0;
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    shared = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}
