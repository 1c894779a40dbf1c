// raise returns after the handler has run.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t got;

void handler(int signal)
{
    got = signal;
}

int main(void)
{
    assert(signal(SIGUSR1, handler) == SIG_DFL);
    assert(raise(SIGUSR1) == 0);
    assert(got == SIGUSR1);
    assert(signal(SIGUSR1, SIG_IGN) == handler);
    got = 0;
    raise(SIGUSR1);
    assert(got == 0);
    assert(signal(SIGKILL, handler) == SIG_ERR);
    return 0;
}
