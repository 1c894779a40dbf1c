// Statement expressions, typeof, __auto_type, computed goto, nested conditional with omitted operand, local labels.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        typeof(a) left = (a);                                                                                          \
        typeof(b) right = (b);                                                                                         \
        left > right ? left : right;                                                                                   \
    })

int run(const unsigned char *code)
{
    static void *const jump[] = {&&stop, &&increment, &&twice};
    int accumulator = 1;
    goto *jump[*code];
increment:
    accumulator++;
    goto *jump[*++code];
twice:
    accumulator *= 2;
    goto *jump[*++code];
stop:
    return accumulator;
}

int main(void)
{
    int i = 3;
    __auto_type wide = 1LL << 33;
    assert(MAX(i++, 2) == 3 && i == 4);
    assert(sizeof wide == 8 && wide >> 33 == 1);
    assert(run((const unsigned char[]){1, 2, 2, 1, 0}) == 9);
    assert((0 ?: 8) == 8);
    assert(__builtin_expect(i == 4, 1));
    assert(__builtin_popcount(0xf0f) == 8 && __builtin_ctz(8) == 3 && __builtin_clz(1) == 31);
    assert(__builtin_bswap32(0x11223344) == 0x44332211);
    return 0;
}
