// A signal that is blocked stays pending, and is delivered before the call that unblocks it returns.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t got;

void handler(int signal)
{
    got = 1;
}

int main(void)
{
    struct sigaction act = {0}, old;
    sigset_t set, waiting;
    act.sa_handler = handler;
    sigemptyset(&act.sa_mask);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    assert(sigismember(&set, SIGUSR2) == 1 && sigismember(&set, SIGUSR1) == 0);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    assert(sigaction(SIGUSR2, &act, &old) == 0);
    assert(old.sa_handler == SIG_DFL);
    raise(SIGUSR2);
    assert(got == 0);
    sigpending(&waiting);
    assert(sigismember(&waiting, SIGUSR2) == 1);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    assert(got == 1);
    return 0;
}
