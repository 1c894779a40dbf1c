// quick_exit runs what at_quick_exit registered, and nothing else; _exit and abort run nothing.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

extern _Bool __VERIFIER_nondet_bool(void);
int order;

void never(void)
{
    assert(0);
}
void second(void)
{
    assert(order == 1);
    _exit(0);
}
void first(void)
{
    order++;
}

int main(void)
{
    atexit(never);
    at_quick_exit(never);
    at_quick_exit(second);
    at_quick_exit(first);
    if (__VERIFIER_nondet_bool())
        _exit(1);
    if (__VERIFIER_nondet_bool())
        abort();
    quick_exit(2);
}
