// An atexit function runs after main returns; its assertion counts.
// Broken: main leaves the resource open.
// expect: unreach-call false
// expect: termination true
#include <assert.h>
#include <stdlib.h>

int open;

void check(void)
{
    assert(!open);
}

int main(void)
{
    atexit(check);
    open = 1;
    return 0;
}
