// A handler may run before the line that the programmer expects it to run after.
// expect: unreach-call false
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
    signal(SIGINT, handler);
    ready = 1;
    assert(seen == 1);
    return 0;
}
