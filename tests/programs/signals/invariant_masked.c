// A handler cannot see the middle of an update during which its signal is blocked.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

int left = 10, right;

void handler(int signal)
{
    assert(left + right == 10);
}

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    signal(SIGINT, handler);
    sigprocmask(SIG_BLOCK, &all, 0);
    left--;
    right++;
    sigprocmask(SIG_UNBLOCK, &all, 0);
    return 0;
}
