// A handler runs in the main thread while a worker writes the same variable.
// expect: no-data-race false
// expect: no-deadlock true
#include <pthread.h>
#include <signal.h>

volatile int shared;

void handler(int signal)
{
    shared = 1;
}

void *worker(void *arg)
{
    shared = 2;
    return 0;
}

int main(void)
{
    pthread_t a;
    sigset_t set, old;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    signal(SIGTERM, handler);
    pthread_create(&a, 0, worker, 0);
    pthread_sigmask(SIG_SETMASK, &old, 0);
    pthread_join(a, 0);
    return 0;
}
