// `memcpy` between ranges that overlap.
// expect: undefined-behaviour false
#include <string.h>

char text[8] = "abcdefg";

int main(void)
{
    memcpy(text, text + 1, 4);
    return 0;
}
