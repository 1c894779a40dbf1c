// A handler sees the middle of an update.
// expect: unreach-call false
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
    signal(SIGINT, handler);
    left--;
    right++;
    return 0;
}
