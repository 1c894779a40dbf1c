// exit runs the atexit functions in reverse order; nothing after exit runs.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <stdlib.h>

int stage;

void last(void)
{
    assert(stage == 2);
}

void first(void)
{
    assert(stage == 1);
    stage = 2;
}

int main(void)
{
    atexit(last);
    atexit(first);
    stage = 1;
    exit(0);
    assert(0);
}
