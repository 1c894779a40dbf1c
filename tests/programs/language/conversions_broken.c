// A length kept in an unsigned char wraps at 256.
// Broken: 200 + 100 is stored as 44.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
#include <assert.h>

int main(void)
{
    unsigned char length = 200;
    length += 100;
    assert(length == 300);
    return 0;
}
