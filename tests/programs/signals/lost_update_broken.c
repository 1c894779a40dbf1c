// A handler between the read and the write of an increment: what it did is lost.
// expect: unreach-call false
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
    signal(SIGINT, handler);
    count++;
    signal(SIGINT, SIG_IGN);
    assert(count == 1 + handled);
    return 0;
}
