// The same, but the signal is blocked while the mutex is held.
// expect: unreach-call true
// expect: no-deadlock true
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
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, handler);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_mutex_lock(&mutex);
    shared = 1;
    pthread_mutex_unlock(&mutex);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    return 0;
}
