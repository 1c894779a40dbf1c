// The same increment, but the signal is blocked meanwhile.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t count, handled;

void handler(int signal)
{
    if (handled)
        return;
    handled = 1;
    count++;
}

int main(void)
{
    sigset_t set, old;
    signal(SIGINT, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    assert(sigprocmask(SIG_BLOCK, &set, &old) == 0);
    count++;
    assert(sigprocmask(SIG_SETMASK, &old, 0) == 0);
    signal(SIGINT, SIG_IGN);
    assert(count == 1 + handled);
    return 0;
}
