// `long double` has the 64 bits of mantissa and 15 of exponent of x87, and `__float128` is IEEE binary128: constants are rounded once, operations in
// the format of their operands, and conversions between all of them keep what the other one has room for.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <float.h>
#include <stdarg.h>
#include <string.h>

long double shared = 0.1L;
__float128 wide = 0.1Q;

struct Mixed {
    char before;
    long double number;
    char after;
};

static long double sum(int n, ...) {
    va_list list;
    long double total = 0;
    va_start(list, n);
    while (n-- > 0)
        total += va_arg(list, long double);
    va_end(list);
    return total;
}

static void constants(void) {
    unsigned char bytes[10];
    unsigned char expected[10] = {0xcd, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xfb, 0x3f};
    memcpy(bytes, &shared, 10);
    assert(memcmp(bytes, expected, 10) == 0);
    assert(shared != 0.1 && (double)shared == 0.1 && (float)shared == 0.1f);
    assert(0x1.8p1L == 3.0L && 1e4000L > 1e300L && 1e-4000L > 0);
    assert(LDBL_MANT_DIG == 64 && 1.0L + LDBL_EPSILON > 1.0L && 1.0L + LDBL_EPSILON / 2 == 1.0L);
}

static void arithmetic(void) {
    volatile long double one = 1.0L, three = 3.0L;
    long double third = one / three;
    assert(third != 1.0 / 3.0 && (double)third == 1.0 / 3.0 && third * 3 == 1.0L);
    long double x = third;
    x++;
    x *= 3;
    x -= one;
    assert(x > 2.99L && x < 3.01L && -x < 0);
    long double inf = one / (one - one), nan = inf - inf;
    assert(inf > LDBL_MAX && nan != nan && !(nan < one) && !(nan >= one));
    assert(__builtin_isinf(inf) && __builtin_isnan(nan) && !__builtin_isnormal(nan) && __builtin_isnormal(one));
    assert(__builtin_signbit(-one) && !__builtin_signbit(one));
    assert((one ? third : 2) == third && !!third && (_Bool)third);
}

static void conversions(void) {
    volatile unsigned long long all = ~0ull;
    volatile long long least = -9223372036854775807LL - 1;
    long double x = all;
    assert((unsigned long long)x == all && x + 1 == 0x1p64L && (double)all == 0x1p64);
    assert((long long)(long double)least == least && (int)-2.9L == -2);
    volatile float f = 0.1f;
    volatile double d = 0.1;
    assert((float)(long double)f == f && (double)(long double)d == d && (long double)f != d);
    int n = 7;
    n *= 1.5L;
    assert(n == 10);
    // 2^53 + 1 rounds to a double once, not twice.
    volatile long double odd = 9007199254740993.0L;
    assert((double)odd == 9007199254740992.0 && odd != 9007199254740992.0L);
}

static void storage(void) {
    struct Mixed a = {1, 2.5L, 3}, b;
    b = a;
    assert(b.number == 2.5L && b.after == 3 && sizeof(struct Mixed) == 48 && _Alignof(long double) == 16);
    long double array[3] = {1, 2, [2] = 0.25L}, *p = array + 1;
    *p += array[2];
    assert(array[1] == 2.25L && sum(3, 1.5L, array[1], a.number) == 6.25L);
}

static void quad(void) {
    volatile __float128 one = 1, three = 3;
    __float128 third = one / three;
    assert(third != 1.0L / 3.0L && (long double)third == 1.0L / 3.0L && sizeof(third) == 16);
    assert(wide != shared && (double)wide == 0.1 && third * 3 == 1);
    assert((long long)(one + 0.5Q) == 1 && (one += 41) == 42);
}

int main(void) {
    constants();
    arithmetic();
    conversions();
    storage();
    quad();
    return 0;
}
