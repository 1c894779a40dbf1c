// The value of an assignment to a bit-field is what the field holds afterwards, and bit-fields promote by their width: what fits into an int is
// an int, wider ones keep their width (as in gcc).
// native: yes
// expect: unreach-call true
#include <assert.h>

struct fields {
    unsigned u3 : 3;
    signed s3 : 3;
    unsigned u32 : 32;
    unsigned u31 : 31;
    _Bool flag : 1;
    unsigned long long u40 : 40;
    signed long long s40 : 40;
    unsigned long long u32l : 32;
    unsigned char c7 : 7;
};

static int count;
static struct fields *next(struct fields *f)
{
    count++;
    return f;
}

static void values_are_cut(void)
{
    struct fields f = {0};
    assert((f.u3 = 9) == 1);
    assert((f.s3 = 5) == -3);
    f.u3 = 7;
    assert(++f.u3 == 0);
    assert(--f.u3 == 7);
    assert(f.u3++ == 7 && f.u3 == 0);
    assert(f.u3-- == 0 && f.u3 == 7);
    assert((f.u3 += 3) == 2);
    assert((f.u3 -= 4) == 6);
    assert((f.u3 *= 3) == 2);
    assert((f.u3 <<= 2) == 0);
    assert((f.u3 |= 0xff) == 7);
    assert((f.u3 ^= 0xf2) == 5);
    f.s3 = 3;
    assert(++f.s3 == -4);
    assert((f.s3 += 9) == -3);
    assert((f.s3 = f.u3 = 13) == -3);
    f.c7 = 127;
    assert(++f.c7 == 0);
    assert((f.flag = 2) == 1);
    assert((f.flag += 5) == 1);
    assert((f.flag ^= 1) == 0);
    f.u40 = ~0ULL;
    assert(++f.u40 == 0);
    int x = (next(&f)->u3 = 15) + 1;
    assert(x == 8 && count == 1);
    int y = (next(&f)->u3 += 15) + 1;
    assert(y == 7 && count == 2);
}

static void promotions(void)
{
    struct fields f = {0};
    f.u3 = 1, f.s3 = -1, f.u31 = 1, f.u32 = 1, f.u32l = 1, f.flag = 1, f.c7 = 1;
    assert(f.u3 - 2 < 0);
    assert(-f.u3 < 0);
    assert(~f.u3 < 0);
    assert(f.u31 - 2 < 0);
    assert(f.u32 - 2 > 0);
    assert(f.u32l - 2 > 0 && sizeof(f.u32l - 2) == 4);
    assert((f.u3 ?: 5) - 2 < 0);
    assert((f.u32 ?: 5) - 2 > 0);
    assert((f.u31 ? f.u31 : f.u3) - 2 < 0);
    assert((1, f.u3) - 2 < 0);
    assert(({ f.u3; }) - 2 < 0);
    assert((f.u3 = 1) - 2 < 0);
    assert((f.u3 += 0) - 2 < 0);
    assert(f.u3 < -1 == 0 && f.u3 > -1);
    assert((f.u3 << 30) != 0);
    assert(+f.flag - 2 < 0);
    assert(-1 < f.c7);
    unsigned sum = 0;
    for (f.u3 = 0; f.u3 < 7; f.u3++)
        sum += f.u3;
    assert(sum == 21);
    switch (f.s3) {
    case -1: break;
    default: assert(0);
    }
}

static void wide_ones(void)
{
    struct fields f = {0};
    f.u40 = 0xffffffffffULL;
    assert(f.u40 + 1 == 0);
    assert(f.u40 << 8 == 0xffffffff00ULL);
    assert((f.u40 ?: 1) + 1 == 0);
    assert(f.u40 + 1L == 0x10000000000L);
    assert(~f.u40 == 0);
    assert(-f.u40 == 1);
    f.s40 = -1;
    assert(f.s40 < 0 && f.s40 + 1U == 0);
    assert(f.u40 * 2 == 0xfffffffffeULL);
    assert((f.u40 += 2) == 1);
    f.u40 = 0x8000000000ULL;
    assert((f.u40 | 0) > 0 && (long long)f.u40 == 0x8000000000LL);
    long long wide = f.u40 << 1;
    assert(wide == 0);
    double d = f.u40;
    assert(d == 549755813888.0);
}

int main(void)
{
    values_are_cut();
    promotions();
    wide_ones();
    return 0;
}
