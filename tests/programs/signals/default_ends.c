// A signal without a handler ends the program, without what atexit registered.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

void never(void)
{
    assert(0);
}

int main(void)
{
    atexit(never);
    raise(SIGCHLD);
    raise(SIGTERM);
    assert(0);
    return 0;
}
