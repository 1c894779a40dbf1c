// Integer promotions and the usual arithmetic conversions (C11 6.3.1), for LP64.
// expect: unreach-call true
// expect: no-overflow true
// expect: termination true
#include <assert.h>

int main(void)
{
    unsigned char c = 255;
    signed char s = -1;
    unsigned short h = 65535;
    unsigned u = 1;
    long l = -1;
    assert(c + 1 == 256);
    assert((unsigned char)(c + 1) == 0);
    assert(sizeof(c + c) == sizeof(int));
    assert(~c == -256);
    assert(-h == -65535);
    assert(s < c);
    assert((unsigned char)s == c);
    assert(-1 > u);
    assert(l < u);
    assert(l > 1ul);
    assert((s ^ c) == ~255);
    assert(sizeof('a') == 4);
    assert(sizeof(1 ? s : l) == 8);
    assert(!u == 0 && sizeof(!l) == 4);
    return 0;
}
