// A union seen through its members, and the bytes of an int (little endian).
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <string.h>

union word {
    unsigned whole;
    unsigned char byte[4];
    struct {
        unsigned short low, high;
    } half;
};

int main(void)
{
    union word w = {0x11223344};
    assert(w.byte[0] == 0x44 && w.byte[3] == 0x11);
    assert(w.half.low == 0x3344 && w.half.high == 0x1122);
    w.byte[1] = 0;
    assert(w.whole == 0x11220044);
    int n = -1;
    unsigned char *p = (unsigned char *)&n;
    p[3] = 0x7f;
    assert(n == 0x7fffffff);
    short s;
    memcpy(&s, (char *)&n + 2, sizeof s);
    assert(s == 0x7fff);
    return 0;
}
