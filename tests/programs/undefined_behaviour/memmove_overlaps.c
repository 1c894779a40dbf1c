// `memmove` between ranges that overlap, and `memcpy` between neighbours.
// expect: undefined-behaviour true
#include <string.h>

char text[8] = "abcdefg";

int main(void)
{
    memmove(text, text + 1, 4);
    memcpy(text, text + 4, 4);
    return 0;
}
