// What a NaN looks like is no part of a number, but of its bytes, its sign and what printf prints of it. On x86 an operation that makes a NaN of numbers makes a
// negative one, a NaN operand is kept (the first of two), and compilers' own NaNs are positive.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long bits(double x) {
    unsigned long long result;
    memcpy(&result, &x, sizeof result);
    return result;
}

static double number(unsigned long long bits) {
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static double by_compiler = 0.0 / 0.0;

int main(void) {
    volatile double zero = 0, infinity = INFINITY, one = 1;
    volatile double first = number(0x7ff8000000000123), second = number(0xfff8000000000456);
    char text[32];
    assert(bits(zero / zero) == 0xfff8000000000000 && bits(infinity - infinity) == 0xfff8000000000000);
    assert(bits(by_compiler) == 0x7ff8000000000000);
    assert(bits(first + one) == 0x7ff8000000000123 && bits(one - second) == 0xfff8000000000456);
    assert(bits(first * second) == 0x7ff8000000000123 && bits(second / first) == 0xfff8000000000456);
    assert(bits(one + number(0x7ff0000000000789)) == 0x7ff8000000000789);
    assert(bits(-first) == 0xfff8000000000123);
    assert(bits((double)(float)number(0xfff8123450000000)) == 0xfff8123440000000);
    assert(bits((double)(long double)second) == 0xfff8000000000456);
    assert(bits(__builtin_nan("0x12")) == 0x7ff8000000000012 && bits(nan("9")) == 0x7ff8000000000009);
    assert(bits(strtod("nan(077)", NULL)) == 0x7ff800000000003f && bits(strtod("nan(x)", NULL)) == 0x7ff8000000000000);
    assert(bits(sqrt(-one)) == 0xfff8000000000000);
    snprintf(text, sizeof text, "%f", zero / zero);
    assert(strcmp(text, "-nan") == 0);
    return 0;
}
