// exit runs what atexit and on_exit registered, the youngest first; on_exit's get the status.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>

int order;

void last(void)
{
    assert(order == 2);
}
void middle(int status, void *arg)
{
    assert(status == 3 && arg == &order && order == 1);
    order = 2;
}
void first(void)
{
    assert(order == 0);
    order = 1;
}
void never(void)
{
    assert(0);
}

int main(void)
{
    assert(atexit(last) == 0);
    assert(on_exit(middle, &order) == 0);
    assert(atexit(first) == 0);
    assert(at_quick_exit(never) == 0);
    exit(3);
}
