// T-MAINEXIT: main may return before the thread runs, but it need not.
// Broken: the thread fails before main returns.
// expect: unreach-call false
// expect: no-deadlock true
// expect: termination true
#include <assert.h>
#include <pthread.h>

void *late(void *arg)
{
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, late, 0);
    return 0;
}
