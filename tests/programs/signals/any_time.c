// The same, but the handler is installed when everything is ready.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t ready, seen = 1;

void handler(int signal)
{
    seen = ready;
}

int main(void)
{
    ready = 1;
    signal(SIGINT, handler);
    assert(seen == 1);
    return 0;
}
