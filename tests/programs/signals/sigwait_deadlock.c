// The signal goes to the wrong thread: the one that waits for it never gets it.
// expect: unreach-call true
// expect: no-deadlock false
#include <pthread.h>
#include <signal.h>

sigset_t set;

void *waiter(void *arg)
{
    int got;
    sigwait(&set, &got);
    return 0;
}

int main(void)
{
    pthread_t a;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, waiter, 0);
    raise(SIGUSR1);
    pthread_join(a, 0);
    return 0;
}
