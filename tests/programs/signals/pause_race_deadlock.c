// The alarm may ring between the test of the flag and pause, which then waits for ever.
// expect: unreach-call true
// expect: no-deadlock false
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
    while (!rang)
        pause();
    assert(rang);
    return 0;
}
