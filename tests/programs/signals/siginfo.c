// A handler with three arguments gets the signal's number twice.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>
#include <stddef.h>

volatile sig_atomic_t got;

void handler(int signal, siginfo_t *info, void *context)
{
    assert(signal == SIGUSR1 && info->si_signo == SIGUSR1 && context != NULL);
    got = 1;
}

int main(void)
{
    struct sigaction act = {0};
    act.sa_sigaction = handler;
    act.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGUSR1, &act, 0);
    raise(SIGUSR1);
    assert(got);
    return 0;
}
