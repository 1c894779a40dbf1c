// sleep ends early when a handler has run.
// expect: unreach-call false
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
    assert(sleep(10) == 0);
    return 0;
}
