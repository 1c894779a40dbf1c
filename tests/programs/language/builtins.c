// What gcc builds in: bits, arithmetic with a check, classes of floating-point numbers, constants.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <math.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
int main(void)
{
    volatile unsigned u = 0x00f0;
    volatile int i = -1;
    volatile long l = 1L<<40;
    volatile unsigned long long ull = 0x8000000000000000ULL;
    assert(__builtin_ffs(u) == 5);
    assert(__builtin_ffs(0)==0);
    assert(__builtin_ffsl(l) == 41);
    assert(__builtin_ffsll(ull)==64);
    assert(__builtin_parity(u) == 0);
    assert(__builtin_parity(7)==1);
    assert(__builtin_parityll(ull)==1);
    assert(__builtin_parityl(l|1)==0);
    assert(__builtin_popcount(u) == 4);
    assert(__builtin_popcountl(-1L)==64);
    assert(__builtin_clz(u)==24);
    assert(__builtin_ctzll(ull)==63);
    assert(__builtin_clrsb(i)==31);
    assert(__builtin_clrsb(0)==31);
    assert(__builtin_clrsbll(1)==62);
    assert(__builtin_bswap16(0x1234)==0x3412);
    assert(__builtin_bswap64(1)==0x0100000000000000ULL);
    int r;
    unsigned ur;
    long lr;
    signed char cr;
    unsigned char ucr;
    assert(__builtin_add_overflow(INT_MAX, 1, &r) && r == INT_MIN);
    assert(!__builtin_add_overflow(INT_MAX, 1, &lr) && lr == 2147483648L);
    assert(!__builtin_add_overflow(5, 1, &cr) && cr == 6);
    assert(__builtin_add_overflow(100, 100, &cr) && cr == -56);
    assert(__builtin_sub_overflow(1, 2, &ur) && ur == UINT_MAX);
    assert(!__builtin_sub_overflow(1u, 2u, &r) && r == -1);
    assert(__builtin_mul_overflow(1L<<40, 1L<<40, &lr) && lr == 0);
    assert(!__builtin_mul_overflow(-1, -1, &ucr) && ucr == 1);
    assert(__builtin_sadd_overflow(INT_MAX, 1, &r));
    assert(!__builtin_uadd_overflow(1u,2u,&ur)&&ur==3);
    unsigned long long q;
    assert(__builtin_umulll_overflow(ull, 2, &q) && q == 0);
    long sl;
    assert(__builtin_ssubl_overflow(LONG_MIN, 1, &sl) && sl == LONG_MAX);
    assert(__builtin_add_overflow_p(INT_MAX, 1, (int)0));
    assert(!__builtin_add_overflow_p(INT_MAX, 1, (long)0));
    assert(__builtin_mul_overflow_p(INT_MAX, 2, 0));
    assert(!__builtin_sub_overflow_p(3,2,(char)0));
    volatile double d = 1.5, nan = __builtin_nan(""), inf = __builtin_inf();
    assert(__builtin_isnan(nan) && !__builtin_isnan(d));
    assert(__builtin_isinf(inf) && !__builtin_isinf(d));
    assert(__builtin_isfinite(d));
    assert(__builtin_isinf_sign(-inf) == -1);
    assert(__builtin_isnormal(d));
    assert(__builtin_signbit(-d) != 0);
    assert(!__builtin_signbit(d));
    assert(__builtin_isgreater(d, 1.0));
    assert(!__builtin_isgreater(nan, 1.0));
    assert(__builtin_isunordered(nan, d));
    assert(__builtin_islessgreater(d, 1.0));
    assert(__builtin_isless(1.0,d));
    assert(__builtin_islessequal(d,d));
    assert(__builtin_isgreaterequal(d,d));
    assert(isnan(nan));
    assert(isinf(inf));
    assert(fpclassify(d) == FP_NORMAL);
    assert(signbit(-0.0));
    assert(__builtin_expect(u == 0xf0, 1));
    assert(__builtin_expect_with_probability(3, 1, 0.9) == 3);
    assert(__builtin_constant_p(3));
    assert(!__builtin_constant_p(u));
    assert(__builtin_choose_expr(1, 5, "x") == 5);
    struct s { int a; char b[10]; struct { short c; } d[3]; };
    assert(__builtin_offsetof(struct s, d[2].c) == offsetof(struct s, d) + 4);
    char buf[10];
    assert(__builtin_object_size(buf, 0) == 10 || 1);
    assert(__builtin_abs(-3)==3);
    assert(__builtin_labs(-3L)==3);
    assert(__builtin_llabs(-3LL)==3);
    assert(__builtin_strlen("abc")==3);
    assert(__builtin_memcmp("a","b",1)<0);
    assert(__builtin_strcmp("a","a")==0);
    assert(__builtin_huge_val() == inf);
    return 0;
}
