// abort after a failed assumption ends the path; it is not a violated assertion.
// expect: unreach-call true
// expect: termination true
#include <stdlib.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);

void assume(int condition)
{
    if (!condition)
        abort();
}

int main(void)
{
    int x = __VERIFIER_nondet_bool();
    assume(x);
    if (!x)
        reach_error();
    return 0;
}
