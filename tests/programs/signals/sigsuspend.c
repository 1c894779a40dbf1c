// With the signal blocked but for the wait itself, nothing is lost.
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
    sigset_t set, old;
    signal(SIGALRM, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &old);
    alarm(1);
    while (!rang)
        sigsuspend(&old);
    assert(rang);
    return 0;
}
