// What at_quick_exit registered runs at quick_exit.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <stdlib.h>

void reached(void)
{
    assert(0);
}

int main(void)
{
    at_quick_exit(reached);
    quick_exit(0);
}
