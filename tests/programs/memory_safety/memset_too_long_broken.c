// A memset of more bytes than the object has, before an assertion that fails.
// expect: valid-memsafety false
// expect: valid-deref false
#include <assert.h>
#include <string.h>

char buffer[8];

int main(void)
{
    memset(buffer, 0, 9);
    assert(0);
}
