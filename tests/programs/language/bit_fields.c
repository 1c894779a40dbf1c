// Bit-fields: width, sign, wrap-around, neighbours left alone, zero width.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

struct flags {
    unsigned low : 3;
    signed level : 4;
    unsigned : 0;
    unsigned wide : 20;
    _Bool on : 1;
};

int main(void)
{
    struct flags f = {5, -3, 0xfffff, 1};
    assert(f.low == 5 && f.level == -3 && f.wide == 0xfffff && f.on == 1);
    f.low = f.low + 4;
    assert(f.low == 1 && f.level == -3);
    f.level = 7;
    f.wide++;
    assert(f.level == 7 && f.wide == 0 && f.on == 1 && f.low == 1);
    f.on = 4;
    assert(f.on == 1);
    assert(f.low - 2 == -1);
    return 0;
}
