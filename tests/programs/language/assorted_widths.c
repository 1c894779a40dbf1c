// Assorted: arithmetic in all widths, with and without a sign, and conversions between them.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    uint8_t a = 250;
    uint16_t b = 65530;
    uint32_t c = 4294967290u;
    uint64_t d = -6ull;
    a += 10;
    b += 10;
    c += 10;
    d += 10;
    assert(a == 4 && b == 4 && c == 4 && d == 4);
    a -= 5;
    b -= 5;
    c -= 5;
    d -= 5;
    assert(a == 255 && b == 65535 && c == UINT32_MAX && d == UINT64_MAX);
    assert((int8_t)a == -1 && (int16_t)b == -1 && (int32_t)c == -1 && (int64_t)d == -1);
    assert((uint8_t)b == 255 && (uint64_t)(int8_t)a == UINT64_MAX && (uint32_t)a == 255);
    assert((a > b) == 0 && (int)c < 0 && (long)c > 0 && (int)d == -1);
    int8_t s = -1;
    assert(s == a - 256 && (unsigned)s > 1000 && s < 0u + 1 == 0 && (uint8_t)s == a);
    assert((s & 0xff) == 255 && (s >> 1) == -1 && ((uint8_t)s >> 1) == 127);
    uint32_t m = 0xdeadbeef;
    assert((m >> 16 | m << 16) == 0xbeefdead && (m & -m) == 1 && (m ^ m >> 1) > 0 && __builtin_popcount(m) == 24);
    assert((int32_t)m < 0 && (int64_t)(int32_t)m < 0 && (int64_t)m > 0);
    uint64_t q = 0x8000000000000000;
    assert((q >> 63) == 1 && (int64_t)q < 0 && q * 2 == 0 && q - 1 == INT64_MAX && (q | 1) % 2 == 1);
    int64_t n = -7;
    assert(n / 2 == -3 && n % 2 == -1 && n >> 1 == -4 && (uint64_t)n % 10 == 9 &&
           (uint64_t)n / 2 == 0x7ffffffffffffffc);
    unsigned char uc = n;
    assert(uc == 249);
    short sh = uc << 8;
    assert(sh == -1792);
    sh >>= 4;
    assert(sh == -112);
    sh = (unsigned short)sh >> 4;
    assert(sh == 0xff9);
    char ch = 200;
    assert(ch == -56 && (unsigned char)ch == 200 && ch / 2 == -28 && ch % 100 == -56);
    long l = INT_MIN;
    assert(-l == 2147483648l && (int)-l == INT_MIN);
    assert(1u - 2 > 0 && (1 - 2u) / 2 == 0x7fffffff && -1 / 2u == 0x7fffffff && -1 % 2u == 1);
    assert((1ull << 40) * 3 % 1000 == (3298534883328ull % 1000));
    assert((uint16_t)(65535u * 65535u) == 1);
    _Bool t = 0x100;
    assert(t == 1 && (t << 3) == 8);
    for (uint8_t i = 255, k = 0; i != 250; i--, k++) assert(i + k == 255);
    unsigned sum = 0;
    for (unsigned i = 10; i-- > 0;) sum += i;
    assert(sum == 45);
    int w = 0;
    for (signed char x = 120; x > 0; x++) w++;
    assert(w == 8);
    return 0;
}
