// A section that is entered on one branch only is no atomic section on the other one.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
int left = 10, right;

void handler(int signal)
{
    assert(left + right == 10);
}

int main(void)
{
    _Bool atomically = __VERIFIER_nondet_bool();
    signal(SIGINT, handler);
    if (atomically)
        __VERIFIER_atomic_begin();
    left--;
    right++;
    if (atomically)
        __VERIFIER_atomic_end();
    return 0;
}
