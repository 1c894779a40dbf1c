// A handler of two signals that does not block the other one is interrupted by it.
// expect: unreach-call false
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
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    return 0;
}
