// A thread that waits for signals is cancelled while it waits.
// expect: no-deadlock true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *waiter(void *unused)
{
    int signal;
    for (;;)
        sigwait(&set, &signal);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, waiter, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
