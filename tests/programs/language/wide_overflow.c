// No operation on these integers of 128 bits overflows, although each comes close.
// native: yes
// expect: no-overflow true
// expect: unreach-call true
#include <assert.h>

int main(void)
{
    volatile int shift = 126;
    __int128 big = (__int128)1 << shift, least = -big - big, most = -(least + 1);
    assert(most + least == -1);
    assert(big + (big - 1) == most);
    assert(least / 2 == -big && least % 3 == -2);
    assert((__int128)3037000499u * 3037000499u > 0);
    assert(-big * 2 == least && (most / 7) * 7 <= most);
    assert(most - most == 0 && least - least == 0 && least - -1 < 0);
    return 0;
}
