// A handler is not interrupted by its own signal, and not by those in its mask.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t inside;

void handler(int signal)
{
    assert(!inside);
    inside = 1;
    inside = 0;
}

int main(void)
{
    struct sigaction act = {0};
    act.sa_handler = handler;
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, SIGUSR1);
    sigaddset(&act.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &act, 0);
    sigaction(SIGUSR2, &act, 0);
    inside = 0;
    return 0;
}
