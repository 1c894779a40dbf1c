// sleep ends early only if a handler has run.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>
#include <unistd.h>

volatile sig_atomic_t rang;

void handler(int signal)
{
    rang = 1;
}

int main(void)
{
    signal(SIGALRM, handler);
    alarm(1);
    if (sleep(10) != 0)
        assert(rang);
    return 0;
}
