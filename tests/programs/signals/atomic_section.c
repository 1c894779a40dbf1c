// A handler does not interrupt an atomic section.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <signal.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int left = 10, right;

void handler(int signal)
{
    assert(left + right == 10);
}

void __VERIFIER_atomic_move_back(void)
{
    left++;
    right--;
}

int main(void)
{
    signal(SIGINT, handler);
    __VERIFIER_atomic_begin();
    left--;
    right++;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_move_back();
    return 0;
}
