// Shifts, division towards zero, remainder with the sign of the dividend, unsigned wrap-around, bit operators.
// expect: unreach-call true
// expect: no-overflow true
// expect: termination true
#include <assert.h>

int main(void)
{
    int n = -7;
    unsigned u = 0x80000000u;
    assert(n / 2 == -3 && n % 2 == -1);
    assert(7 / -2 == -3 && 7 % -2 == 1);
    assert((n >> 1) == -4);
    assert((u >> 31) == 1 && (u << 1) == 0);
    assert((1ul << 63) == 0x8000000000000000ul);
    assert((unsigned char)((unsigned char)0x81 << 1) == 2);
    assert(u - 1 + u == 0xffffffffu);
    assert(0u - 1 == 4294967295u);
    assert((0xf0 & 0x3c) == 0x30 && (0xf0 | 0x0f) == 0xff && (0xff ^ 0x0f) == 0xf0);
    n -= -3;
    n *= -2;
    n %= 5;
    assert(n == 3);
    assert(010 == 8 && 0b101 == 5 && '\x41' == 'A' && '\n' == 10);
    return 0;
}
