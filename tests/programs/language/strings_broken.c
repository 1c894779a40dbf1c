// strncpy does not terminate a string that fills its buffer.
// Broken: the fourth byte is still 'x', not 0.
// expect: unreach-call false
// expect: termination true
#include <assert.h>
#include <string.h>

int main(void)
{
    char buffer[4] = {'x', 'x', 'x', 'x'};
    strncpy(buffer, "abcdef", 3);
    assert(buffer[3] == 0);
    return 0;
}
