/* math.h: classification and the functions whose result IEEE 754 determines, exactly; of the others, any value of their range.
 *
 * The exact ones work on the bits of a number, or with operations that do not round. Rounding is to nearest, and no floating-point
 * exception is recorded.
 */

extern void __VERIFIER_assume(int);
extern _Bool __threadproof_some_bool(void);
extern double __threadproof_some_double(void);
extern float __threadproof_some_float(void);
extern int *__errno_location(void);
extern double fma(double, double, double);
extern unsigned long long __threadproof_nan_payload(const char *, char);

enum { EDOM_ = 33, ERANGE_ = 34 };

int signgam;

/* Outside of a type's range any value may come; it is what x86 gives. */
static long as_long(double x) {
    double limit = sizeof(long) == 8 ? 0x1p63 : 0x1p31;
    return x >= -limit && x < limit ? (long)x : (long)(1UL << (8 * sizeof(long) - 1));
}
static long long as_long_long(double x) { return x >= -0x1p63 && x < 0x1p63 ? (long long)x : (long long)(1ULL << 63); }

/* ---- double ------------------------------------------------------------------------------------------------------ */

union pun_double { double value; unsigned long long bits; };
static unsigned long long bits_of(double x) { union pun_double pun; pun.value = x; return pun.bits; }
static double of_bits(unsigned long long bits) { union pun_double pun; pun.bits = bits; return pun.value; }

int __isnan(double x) { return x != x; }
int isnan(double x) { return x != x; }
int __isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int isinf(double x) { return __isinf(x); }
int __finite(double x) { return x - x == 0; }
int finite(double x) { return x - x == 0; }
int __signbit(double x) { return (int)(bits_of(x) >> 63) ? 128 : 0; }
int __fpclassify(double x) {
    unsigned long long magnitude = bits_of(x) << 1;
    return x != x ? 0 : x == __builtin_inf() || x == -__builtin_inf() ? 1 : magnitude == 0 ? 2 : magnitude >> (52 + 1) ? 4 : 3;
}
int __issignaling(double x) { return x != x && !(bits_of(x) >> (52 - 1) & 1); }
int __iseqsig(double x, double y) { return x == y; }

double fabs(double x) { return of_bits(bits_of(x) & ~(1ULL << 63)); }
double copysign(double x, double y) { return of_bits((bits_of(x) & ~(1ULL << 63)) | (bits_of(y) & (1ULL << 63))); }
double nan(const char *tag) { return of_bits(0x7ff8ULL << 48 | (__threadproof_nan_payload(tag, 0) & (1ULL << 51) - 1)); }
double fmin(double x, double y) { return x != x ? y : y != y ? x : x < y ? x : y; }
double fmax(double x, double y) { return x != x ? y : y != y ? x : x > y ? x : y; }
double fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

/* From 4503599627370496.0 on, every number is an integer. */
static int is_integral(double x) { return !(x < 4503599627370496.0 && x > -4503599627370496.0); }
double trunc(double x) { return is_integral(x) ? x : copysign((double)(long long)x, x); }
double floor(double x) {
    double t = trunc(x);
    return t > x ? t - 1 : t;
}
double ceil(double x) {
    double t = trunc(x);
    return t < x ? copysign(t + 1, x) : t;
}
double round(double x) {
    double t = trunc(x), rest = x - t;
    if (is_integral(x)) return x;
    return rest >= 0.5 ? t + 1 : rest <= -0.5 ? t - 1 : t;
}
double roundeven(double x) {
    double t = trunc(x), rest = fabs(x - t);
    if (is_integral(x)) return x;
    int away = rest > 0.5 || (rest == 0.5 && ((long long)t & 1));
    return copysign(away ? fabs(t) + 1 : fabs(t), x);
}
double rint(double x) { return roundeven(x); }
double nearbyint(double x) { return roundeven(x); }
long lround(double x) { return as_long(round(x)); }
long long llround(double x) { return as_long_long(round(x)); }
long lrint(double x) { return as_long(roundeven(x)); }
long long llrint(double x) { return as_long_long(roundeven(x)); }
double modf(double x, double *whole) {
    double t = trunc(x);
    *whole = t;
    return x == __builtin_inf() || x == -__builtin_inf() ? copysign(0, x) : x != x ? x : copysign(x - t, x);
}

/* Multiplies by powers of two step by step, so that only the last multiplication rounds. */
double scalbn(double x, int n) {
    if (n > 1023) {
        x *= 0x1p1023; n -= 1023;
        if (n > 1023) { x *= 0x1p1023; n -= 1023; if (n > 1023) n = 1023; }
    } else if (n < 1 - 1023) {
        x *= 0x1p-969; n += 1023 - 1 - 52 - 1;
        if (n < 1 - 1023) { x *= 0x1p-969; n += 1023 - 1 - 52 - 1; if (n < 1 - 1023) n = 1 - 1023; }
    }
    return x * of_bits((unsigned long long)(n + 1023) << 52);
}
double scalbln(double x, long n) { return scalbn(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n); }
double ldexp(double x, int n) {
    double y = scalbn(x, n);
    if (x - x == 0 && x != 0 && (y - y != 0 || y == 0)) *__errno_location() = ERANGE_;
    return y;
}
double frexp(double x, int *exponent) {
    int shift = 0;
    *exponent = 0;
    if (x - x != 0 || x == 0) return x;
    if ((bits_of(x) << 1 >> (52 + 1)) == 0) { x *= 0x1p64; shift = 64; }
    unsigned long long bits = bits_of(x);
    *exponent = (int)(bits >> 52 & 0x7ff) - (1023 - 1) - shift;
    return of_bits((bits & ~((unsigned long long)0x7ff << 52)) | (unsigned long long)(1023 - 1) << 52);
}
int ilogb(double x) {
    int exponent;
    if (x == 0 || x - x != 0) *__errno_location() = EDOM_;
    if (x == 0 || x != x) return -2147483647 - 1;
    if (x - x != 0) return 2147483647;
    frexp(x, &exponent);
    return exponent - 1;
}
double logb(double x) {
    if (x == 0) return -__builtin_inf();
    if (x - x != 0) return x * x;
    int exponent;
    frexp(x, &exponent);
    return exponent - 1;
}
double significand(double x) { return x == 0 || x - x != 0 ? x : scalbn(x, -ilogb(x)); }
double nextafter(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysign(of_bits(1), y);
    double next = of_bits((x < y) == (x > 0) ? bits_of(x) + 1 : bits_of(x) - 1);
    if (next - next != 0 || (bits_of(next) << 1 >> (52 + 1)) == 0) *__errno_location() = ERANGE_;
    return next;
}

/* The remainder by long division of the mantissas. */
double fmod(double x, double y) {
    unsigned long long sign = bits_of(x) & 1ULL << 63, a = bits_of(x) & ~(1ULL << 63), b = bits_of(y) & ~(1ULL << 63);
    int ea = (int)(a >> 52), eb = (int)(b >> 52);
    if (y == 0 || x - x != 0 || y != y) {
        if (x == x && y == y) *__errno_location() = EDOM_;
        return (x * y) / (x * y);
    }
    if (a < b) return x;
    a &= (1ULL << 52) - 1;
    b &= (1ULL << 52) - 1;
    if (ea) a |= 1ULL << 52;
    else for (ea = 1; !(a >> 52); ea--) a <<= 1;
    if (eb) b |= 1ULL << 52;
    else for (eb = 1; !(b >> 52); eb--) b <<= 1;
    for (; ea > eb; ea--) {
        if (a >= b) a -= b;
        a <<= 1;
    }
    if (a >= b) a -= b;
    if (a == 0) return of_bits(sign);
    for (; !(a >> 52); ea--) a <<= 1;
    if (ea > 0) a += (unsigned long long)(ea - 1) << 52;
    else a >>= 1 - ea;
    return of_bits(a | sign);
}
double remainder(double x, double y) {
    double b = fabs(y), rest;
    if (y == 0 || x - x != 0 || y != y) {
        if (x == x && y == y) *__errno_location() = EDOM_;
        return (x * y) / (x * y);
    }
    /* Modulo 2b, where that is a number, so that what is left tells whether the quotient is odd. */
    rest = fabs(b + b - (b + b) == 0 ? fmod(x, b + b) : x);
    if (b < 0x1p-969) {
        if (rest + rest > b) { rest -= b; if (rest + rest >= b) rest -= b; }
    } else if (rest > 0.5 * b) {
        rest -= b;
        if (rest >= 0.5 * b) rest -= b;
    }
    if (rest == 0) rest = 0;
    return bits_of(x) >> 63 ? -rest : rest;
}
double drem(double x, double y) { return remainder(x, y); }
/* The remainder, and the last three bits of the quotient. */
double remquo(double x, double y, int *quotient) {
    int negative = __signbit(x) != 0, differ = negative != (__signbit(y) != 0), n = 0;
    double half;
    if (y == 0 || x - x != 0 || y != y) return x * y / (x * y);
    x = fabs(x);
    y = fabs(y);
    if (y - y == 0 && 8 * y - 8 * y == 0) x = fmod(x, 8 * y);
    if (4 * y - 4 * y == 0 && x >= 4 * y) {
        x -= 4 * y;
        n += 4;
    }
    if (2 * y - 2 * y == 0 && x >= 2 * y) {
        x -= 2 * y;
        n += 2;
    }
    half = y / 2;
    if (half + half == y ? x > half : x + x > y) {
        n++;
        x -= y;
        if (half + half == y ? x >= half : x + x >= y) {
            n++;
            x -= y;
        }
    }
    if (n == 8 && __threadproof_some_bool()) n = 0; /* some versions give all bits that they have computed */
    *quotient = differ ? -n : n;
    if (x == 0) x = 0;
    return negative ? -x : x;
}

/* The root of the mantissa, bit by bit; the rest decides how to round. */
double sqrt(double x) {
    if (x == 0 || x != x || x == __builtin_inf()) return x;
    if (x < 0) {
        *__errno_location() = EDOM_;
        return (x - x) / (x - x);
    }
    int exponent;
    frexp(x, &exponent);
    unsigned long long mantissa = bits_of(scalbn(x, 52 + 1 - exponent)) & ((1ULL << 52) - 1) | 1ULL << 52;
    exponent--; /* x is mantissa * 2^(exponent - 52) */
    if (exponent & 1) { mantissa <<= 1; exponent--; }
    unsigned long long root = 0, rest = 0, trial;
    for (int i = 0; i < 52 + 2; i++) { /* one bit more than the result has */
        /* The next two bits of the mantissa: its highest bit is 52 + 1. */
        int at = 52 - 2 * i;
        unsigned long long two = at >= 0 ? mantissa >> at & 3 : at == -1 ? mantissa << 1 & 3 : 0;
        rest = rest << 2 | two;
        trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) { rest -= trial; root |= 1; }
    }
    if (root & 1) root += rest ? 1 : (root >> 1 & 1);
    root >>= 1;
    return scalbn((double)root, exponent / 2 - 52);
}

/* ---- float ------------------------------------------------------------------------------------------------------ */

union pun_float { float value; unsigned bits; };
static unsigned bits_off(float x) { union pun_float pun; pun.value = x; return pun.bits; }
static float of_bitsf(unsigned bits) { union pun_float pun; pun.bits = bits; return pun.value; }

int __isnanf(float x) { return x != x; }
int isnanf(float x) { return x != x; }
int __isinff(float x) { return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }
int isinff(float x) { return __isinff(x); }
int __finitef(float x) { return x - x == 0; }
int finitef(float x) { return x - x == 0; }
int __signbitf(float x) { return (int)(bits_off(x) >> 31) ? 8 : 0; }
int __fpclassifyf(float x) {
    unsigned magnitude = bits_off(x) << 1;
    return x != x ? 0 : x == __builtin_inff() || x == -__builtin_inff() ? 1 : magnitude == 0 ? 2 : magnitude >> (23 + 1) ? 4 : 3;
}
int __issignalingf(float x) { return x != x && !(bits_off(x) >> (23 - 1) & 1); }
int __iseqsigf(float x, float y) { return x == y; }

float fabsf(float x) { return of_bitsf(bits_off(x) & ~(1U << 31)); }
float copysignf(float x, float y) { return of_bitsf((bits_off(x) & ~(1U << 31)) | (bits_off(y) & (1U << 31))); }
float nanf(const char *tag) { return of_bitsf(0x7fc00000U | (unsigned)(__threadproof_nan_payload(tag, 0) & (1U << 22) - 1)); }
float fminf(float x, float y) { return x != x ? y : y != y ? x : x < y ? x : y; }
float fmaxf(float x, float y) { return x != x ? y : y != y ? x : x > y ? x : y; }
float fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

/* From 8388608.0f on, every number is an integer. */
static int is_integralf(float x) { return !(x < 8388608.0f && x > -8388608.0f); }
float truncf(float x) { return is_integralf(x) ? x : copysignf((float)(long long)x, x); }
float floorf(float x) {
    float t = truncf(x);
    return t > x ? t - 1 : t;
}
float ceilf(float x) {
    float t = truncf(x);
    return t < x ? copysignf(t + 1, x) : t;
}
float roundf(float x) {
    float t = truncf(x), rest = x - t;
    if (is_integralf(x)) return x;
    return rest >= 0.5f ? t + 1 : rest <= -0.5f ? t - 1 : t;
}
float roundevenf(float x) {
    float t = truncf(x), rest = fabsf(x - t);
    if (is_integralf(x)) return x;
    int away = rest > 0.5f || (rest == 0.5f && ((long long)t & 1));
    return copysignf(away ? fabsf(t) + 1 : fabsf(t), x);
}
float rintf(float x) { return roundevenf(x); }
float nearbyintf(float x) { return roundevenf(x); }
long lroundf(float x) { return as_long(roundf(x)); }
long long llroundf(float x) { return as_long_long(roundf(x)); }
long lrintf(float x) { return as_long(roundevenf(x)); }
long long llrintf(float x) { return as_long_long(roundevenf(x)); }
float modff(float x, float *whole) {
    float t = truncf(x);
    *whole = t;
    return x == __builtin_inff() || x == -__builtin_inff() ? copysignf(0, x) : x != x ? x : copysignf(x - t, x);
}

/* Multiplies by powers of two step by step, so that only the last multiplication rounds. */
float scalbnf(float x, int n) {
    if (n > 127) {
        x *= 0x1p127f; n -= 127;
        if (n > 127) { x *= 0x1p127f; n -= 127; if (n > 127) n = 127; }
    } else if (n < 1 - 127) {
        x *= 0x1p-102f; n += 127 - 1 - 23 - 1;
        if (n < 1 - 127) { x *= 0x1p-102f; n += 127 - 1 - 23 - 1; if (n < 1 - 127) n = 1 - 127; }
    }
    return x * of_bitsf((unsigned)(n + 127) << 23);
}
float scalblnf(float x, long n) { return scalbnf(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n); }
float ldexpf(float x, int n) {
    float y = scalbnf(x, n);
    if (x - x == 0 && x != 0 && (y - y != 0 || y == 0)) *__errno_location() = ERANGE_;
    return y;
}
float frexpf(float x, int *exponent) {
    int shift = 0;
    *exponent = 0;
    if (x - x != 0 || x == 0) return x;
    if ((bits_off(x) << 1 >> (23 + 1)) == 0) { x *= 0x1p64f; shift = 64; }
    unsigned bits = bits_off(x);
    *exponent = (int)(bits >> 23 & 0xff) - (127 - 1) - shift;
    return of_bitsf((bits & ~((unsigned)0xff << 23)) | (unsigned)(127 - 1) << 23);
}
int ilogbf(float x) {
    int exponent;
    if (x == 0 || x - x != 0) *__errno_location() = EDOM_;
    if (x == 0 || x != x) return -2147483647 - 1;
    if (x - x != 0) return 2147483647;
    frexpf(x, &exponent);
    return exponent - 1;
}
float logbf(float x) {
    if (x == 0) return -__builtin_inff();
    if (x - x != 0) return x * x;
    int exponent;
    frexpf(x, &exponent);
    return exponent - 1;
}
float significandf(float x) { return x == 0 || x - x != 0 ? x : scalbnf(x, -ilogbf(x)); }
float nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysignf(of_bitsf(1), y);
    float next = of_bitsf((x < y) == (x > 0) ? bits_off(x) + 1 : bits_off(x) - 1);
    if (next - next != 0 || (bits_off(next) << 1 >> (23 + 1)) == 0) *__errno_location() = ERANGE_;
    return next;
}

/* The remainder by long division of the mantissas. */
float fmodf(float x, float y) {
    unsigned sign = bits_off(x) & 1U << 31, a = bits_off(x) & ~(1U << 31), b = bits_off(y) & ~(1U << 31);
    int ea = (int)(a >> 23), eb = (int)(b >> 23);
    if (y == 0 || x - x != 0 || y != y) {
        if (x == x && y == y) *__errno_location() = EDOM_;
        return (x * y) / (x * y);
    }
    if (a < b) return x;
    a &= (1U << 23) - 1;
    b &= (1U << 23) - 1;
    if (ea) a |= 1U << 23;
    else for (ea = 1; !(a >> 23); ea--) a <<= 1;
    if (eb) b |= 1U << 23;
    else for (eb = 1; !(b >> 23); eb--) b <<= 1;
    for (; ea > eb; ea--) {
        if (a >= b) a -= b;
        a <<= 1;
    }
    if (a >= b) a -= b;
    if (a == 0) return of_bitsf(sign);
    for (; !(a >> 23); ea--) a <<= 1;
    if (ea > 0) a += (unsigned)(ea - 1) << 23;
    else a >>= 1 - ea;
    return of_bitsf(a | sign);
}
float remainderf(float x, float y) {
    float b = fabsf(y), rest;
    if (y == 0 || x - x != 0 || y != y) {
        if (x == x && y == y) *__errno_location() = EDOM_;
        return (x * y) / (x * y);
    }
    /* Modulo 2b, where that is a number, so that what is left tells whether the quotient is odd. */
    rest = fabsf(b + b - (b + b) == 0 ? fmodf(x, b + b) : x);
    if (b < 0x1p-102f) {
        if (rest + rest > b) { rest -= b; if (rest + rest >= b) rest -= b; }
    } else if (rest > 0.5f * b) {
        rest -= b;
        if (rest >= 0.5f * b) rest -= b;
    }
    if (rest == 0) rest = 0;
    return bits_off(x) >> 31 ? -rest : rest;
}
float dremf(float x, float y) { return remainderf(x, y); }
/* The remainder, and the last three bits of the quotient. */
float remquof(float x, float y, int *quotient) {
    int negative = __signbitf(x) != 0, differ = negative != (__signbitf(y) != 0), n = 0;
    float half;
    if (y == 0 || x - x != 0 || y != y) return x * y / (x * y);
    x = fabsf(x);
    y = fabsf(y);
    if (y - y == 0 && 8 * y - 8 * y == 0) x = fmodf(x, 8 * y);
    if (4 * y - 4 * y == 0 && x >= 4 * y) {
        x -= 4 * y;
        n += 4;
    }
    if (2 * y - 2 * y == 0 && x >= 2 * y) {
        x -= 2 * y;
        n += 2;
    }
    half = y / 2;
    if (half + half == y ? x > half : x + x > y) {
        n++;
        x -= y;
        if (half + half == y ? x >= half : x + x >= y) {
            n++;
            x -= y;
        }
    }
    if (n == 8 && __threadproof_some_bool()) n = 0; /* some versions give all bits that they have computed */
    *quotient = differ ? -n : n;
    if (x == 0) x = 0;
    return negative ? -x : x;
}

/* The root of the mantissa, bit by bit; the rest decides how to round. */
float sqrtf(float x) {
    if (x == 0 || x != x || x == __builtin_inff()) return x;
    if (x < 0) {
        *__errno_location() = EDOM_;
        return (x - x) / (x - x);
    }
    int exponent;
    frexpf(x, &exponent);
    unsigned mantissa = bits_off(scalbnf(x, 23 + 1 - exponent)) & ((1U << 23) - 1) | 1U << 23;
    exponent--; /* x is mantissa * 2^(exponent - 23) */
    if (exponent & 1) { mantissa <<= 1; exponent--; }
    unsigned root = 0, rest = 0, trial;
    for (int i = 0; i < 23 + 2; i++) { /* one bit more than the result has */
        /* The next two bits of the mantissa: its highest bit is 23 + 1. */
        int at = 23 - 2 * i;
        unsigned two = at >= 0 ? mantissa >> at & 3 : at == -1 ? mantissa << 1 & 3 : 0;
        rest = rest << 2 | two;
        trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) { rest -= trial; root |= 1; }
    }
    if (root & 1) root += rest ? 1 : (root >> 1 & 1);
    root >>= 1;
    return scalbnf((float)root, exponent / 2 - 23);
}

/* ---- any value of the range ---------------------------------------------------------------------------------- */

static double any_between(double low, double high) {
    double y = __threadproof_some_double();
    __VERIFIER_assume(y >= low && y <= high);
    return y;
}
static float any_betweenf(float low, float high) {
    float y = __threadproof_some_float();
    __VERIFIER_assume(y >= low && y <= high);
    return y;
}
static double domain_error(void) {
    *__errno_location() = EDOM_;
    return __threadproof_some_bool() ? __builtin_nan("") : -__builtin_nan("");
}
/* A range error is possible where the result is, of either type. */
static double ranged(double y) {
    if ((y - y != 0 || (y < 1.2e-38 && y > -1.2e-38)) && __threadproof_some_bool()) *__errno_location() = ERANGE_;
    return y;
}
double sin(double x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x - x != 0) return domain_error();
    return any_between(-1.0, 1.0);
}
float sinf(float x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x - x != 0) return (float)domain_error();
    return any_betweenf((float)-1.0, (float)1.0);
}
double cos(double x) {
    if (x != x) return x;
    if (x == 0) return 1;
    if (x - x != 0) return domain_error();
    return any_between(-1.0, 1.0);
}
float cosf(float x) {
    if (x != x) return x;
    if (x == 0) return 1;
    if (x - x != 0) return (float)domain_error();
    return any_betweenf((float)-1.0, (float)1.0);
}
double tan(double x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x - x != 0) return domain_error();
    return any_between(-__builtin_inf(), __builtin_inf());
}
float tanf(float x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x - x != 0) return (float)domain_error();
    return any_betweenf((float)-__builtin_inf(), (float)__builtin_inf());
}
double asin(double x) {
    if (x != x) return x;
    if (x == 1 || x == -1) return x * 1.5707963267948966;
    if (x == 0) return x;
    if (x < -1 || x > 1) return domain_error();
    return any_between(-1.5707963267948966, 1.5707963267948966);
}
float asinf(float x) {
    if (x != x) return x;
    if (x == 1 || x == -1) return x * (float)1.5707963267948966;
    if (x == 0) return x;
    if (x < -1 || x > 1) return (float)domain_error();
    return any_betweenf((float)-1.5707963267948966, (float)1.5707963267948966);
}
double acos(double x) {
    if (x != x) return x;
    if (x == -1) return 3.1415926535897931;
    if (x == 1) return 0;
    if (x < -1 || x > 1) return domain_error();
    return any_between(0.0, 3.1415926535897931);
}
float acosf(float x) {
    if (x != x) return x;
    if (x == -1) return (float)3.1415926535897931;
    if (x == 1) return 0;
    if (x < -1 || x > 1) return (float)domain_error();
    return any_betweenf((float)0.0, (float)3.1415926535897931);
}
double atan(double x) {
    if (x != x) return x;
    if (x - x != 0) return copysign(1.5707963267948966, x);
    if (x == 0) return x;
    return any_between(-1.5707963267948966, 1.5707963267948966);
}
float atanf(float x) {
    if (x != x) return x;
    if (x - x != 0) return copysignf((float)1.5707963267948966, x);
    if (x == 0) return x;
    return any_betweenf((float)-1.5707963267948966, (float)1.5707963267948966);
}
double sinh(double x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return ranged(any_between(-__builtin_inf(), __builtin_inf()));
}
float sinhf(float x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return ranged(any_betweenf((float)-__builtin_inf(), (float)__builtin_inf()));
}
double cosh(double x) {
    if (x != x) return x;
    if (x - x != 0) return __builtin_inf();
    if (x == 0) return 1;
    return ranged(any_between(1.0, __builtin_inf()));
}
float coshf(float x) {
    if (x != x) return x;
    if (x - x != 0) return __builtin_inf();
    if (x == 0) return 1;
    return ranged(any_betweenf((float)1.0, (float)__builtin_inf()));
}
double tanh(double x) {
    if (x != x) return x;
    if (x - x != 0) return copysign(1, x);
    if (x == 0) return x;
    return any_between(-1.0, 1.0);
}
float tanhf(float x) {
    if (x != x) return x;
    if (x - x != 0) return copysignf(1, x);
    if (x == 0) return x;
    return any_betweenf((float)-1.0, (float)1.0);
}
double asinh(double x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return any_between(-__builtin_inf(), __builtin_inf());
}
float asinhf(float x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return any_betweenf((float)-__builtin_inf(), (float)__builtin_inf());
}
double acosh(double x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x < 1) return domain_error();
    return any_between(0.0, __builtin_inf());
}
float acoshf(float x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x < 1) return (float)domain_error();
    return any_betweenf((float)0.0, (float)__builtin_inf());
}
double exp(double x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    return ranged(any_between(0.0, __builtin_inf()));
}
float expf(float x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    return ranged(any_betweenf((float)0.0, (float)__builtin_inf()));
}
double exp2(double x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    if (trunc(x) == x && x >= -1022 && x <= 1022) return scalbn(1, (int)x);
    return ranged(any_between(0.0, __builtin_inf()));
}
float exp2f(float x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    if (truncf(x) == x && x >= -126 && x <= 126) return scalbnf(1, (int)x);
    return ranged(any_betweenf((float)0.0, (float)__builtin_inf()));
}
double exp10(double x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    return ranged(any_between(0.0, __builtin_inf()));
}
float exp10f(float x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : 0;
    if (x == 0) return 1;
    return ranged(any_betweenf((float)0.0, (float)__builtin_inf()));
}
double expm1(double x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : -1;
    if (x == 0) return x;
    return ranged(any_between(-1.0, __builtin_inf()));
}
float expm1f(float x) {
    if (x != x) return x;
    if (x - x != 0) return x > 0 ? x : -1;
    if (x == 0) return x;
    return ranged(any_betweenf((float)-1.0, (float)__builtin_inf()));
}
double log(double x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return domain_error();
    return any_between(-745.2, 1024.0);
}
float logf(float x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return (float)domain_error();
    return any_betweenf((float)-745.2, (float)1024.0);
}
double log2(double x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return domain_error();
    int exponent;
    if (frexp(x, &exponent) == 0.5) return exponent - 1;
    return any_between(-1074.0, 1024.0);
}
float log2f(float x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return (float)domain_error();
    int exponent;
    if (frexpf(x, &exponent) == 0.5f) return (float)(exponent - 1);
    return any_betweenf((float)-745.2, (float)1024.0);
}
double log10(double x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return domain_error();
    double power = 10;
    for (int n = 1; n <= 22 && power <= x; n++, power *= 10)
        if (power == x) return n;
    return any_between(-745.2, 1024.0);
}
float log10f(float x) {
    if (x != x) return x;
    if (x == 1) return 0;
    if (x == 0) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < 0) return (float)domain_error();
    return any_betweenf((float)-745.2, (float)1024.0);
}
double log1p(double x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x == -1) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < -1) return domain_error();
    return any_between(-745.2, 1024.0);
}
float log1pf(float x) {
    if (x != x) return x;
    if (x == 0) return x;
    if (x == -1) {
        *__errno_location() = ERANGE_;
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) return x;
    if (x < -1) return (float)domain_error();
    return any_betweenf((float)-745.2, (float)1024.0);
}
double cbrt(double x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return any_between(-__builtin_inf(), __builtin_inf());
}
float cbrtf(float x) {
    if (x != x) return x;
    if (x == 0 || x - x != 0) return x;
    return any_betweenf((float)-__builtin_inf(), (float)__builtin_inf());
}
double erf(double x) {
    if (x != x) return x;
    if (x - x != 0) return copysign(1, x);
    if (x == 0) return x;
    return any_between(-1.0, 1.0);
}
float erff(float x) {
    if (x != x) return x;
    if (x - x != 0) return copysignf(1, x);
    if (x == 0) return x;
    return any_betweenf((float)-1.0, (float)1.0);
}
double erfc(double x) {
    if (x != x) return x;
    if (x == 0) return 1;
    if (x - x != 0) return x > 0 ? 0 : 2;
    return ranged(any_between(0.0, 2.0));
}
float erfcf(float x) {
    if (x != x) return x;
    if (x == 0) return 1;
    if (x - x != 0) return x > 0 ? 0 : 2;
    return ranged(any_betweenf((float)0.0, (float)2.0));
}

double atan2(double y, double x) {
    double pi = 3.1415926535897931;
    if (x != x || y != y) return x + y;
    if (y == 0) return __signbit(x) ? copysign(pi, y) : y;
    if (x == 0) return copysign(pi / 2, y);
    if (y - y != 0) return copysign(x - x == 0 ? pi / 2 : x > 0 ? pi / 4 : 3 * (pi / 4), y);
    if (x - x != 0) return copysign(x > 0 ? 0 : pi, y);
    return ranged(any_between(-pi, pi));
}
float atan2f(float y, float x) {
    float pi = 3.14159265f;
    if (x != x || y != y) return x + y;
    if (y == 0) return __signbitf(x) ? copysignf(pi, y) : y;
    if (x == 0) return copysignf(pi / 2, y);
    if (y - y != 0) return copysignf(x - x == 0 ? pi / 2 : x > 0 ? pi / 4 : 3 * (pi / 4), y);
    if (x - x != 0) return copysignf(x > 0 ? 0 : pi, y);
    return (float)ranged(any_betweenf(-pi, pi));
}

/* As glibc rounds it: Borges, An improved algorithm for hypot(a, b), arXiv:1904.09481, without fused operations. The root of the sum of squares, for x >= y, less its error. */
static double corrected_root(double x, double y) {
    double root = sqrt(x * x + y * y), rest, first, second;
    if (root <= 2 * y) {
        rest = root - y;
        first = x * (2 * rest - x);
        second = (rest - 2 * (x - y)) * rest;
    } else {
        rest = root - x;
        first = 2 * rest * (x - 2 * y);
        second = (4 * rest - y) * y + rest * rest;
    }
    return root - (first + second) / (2 * root);
}
double hypot(double x, double y) {
    if (x - x != 0 || y - y != 0) return __isinf(x) || __isinf(y) ? __builtin_inf() : x + y;
    double larger = fmax(fabs(x), fabs(y)), smaller = fmin(fabs(x), fabs(y)), scale = 0x1p-600, result;
    if (smaller <= larger * 0x1p-54) result = larger + smaller;
    else if (larger > 0x1p511) result = corrected_root(larger * scale, smaller * scale) / scale;
    else if (smaller < 0x1p-459) result = corrected_root(larger / scale, smaller / scale) * scale;
    else result = corrected_root(larger, smaller);
    if (result == __builtin_inf()) *__errno_location() = ERANGE_;
    return result;
}
float hypotf(float x, float y) {
    if (__isinff(x) || __isinff(y)) return __builtin_inff();
    float result = (float)sqrt((double)x * x + (double)y * y);
    if (result == __builtin_inff()) *__errno_location() = ERANGE_;
    return result;
}

/* Exact where it can be represented, as glibc's error of less than 0.6 units in the last place implies. Repeated multiplication finds that for small integers as exponents; otherwise
 * it is any value of the right sign. */
static int has_exact_product(double x, double y) {
    double product = x * y;
    return fabs(product) < 0x1p900 && fabs(product) > 0x1p-900 && fma(x, y, -product) == 0;
}
static double any_power(double x, double y) {
    double value = any_between(0.0, __builtin_inf());
    if (x < 0 && trunc(y) != y) return ranged(__threadproof_some_bool() ? -value : value);
    return ranged(x < 0 && trunc(y / 2) != y / 2 ? -value : value);
}
double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    if (y == 1) return x;
    int is_integer = trunc(y) == y, is_odd = y - y == 0 && is_integer && trunc(y / 2) != y / 2;
    if (y - y != 0) return x == -1 ? 1 : (fabs(x) > 1) == (y > 0) ? __builtin_inf() : 0;
    if (x - x != 0 || x == 0) {
        double magnitude = (x == 0) == (y > 0) ? 0 : __builtin_inf();
        if (x == 0 && y < 0) *__errno_location() = ERANGE_;
        return is_odd ? copysign(magnitude, x) : magnitude;
    }
    if (x < 0 && !is_integer) return domain_error();
    if (y == 0.5) {
        double root = sqrt(x);
        if (has_exact_product(root, root) && root * root == x) return root;
    }
    int exponent;
    if (is_integer && fabs(y) <= 1000 && frexp(fabs(x), &exponent) == 0.5 && fabs(y * (exponent - 1)) <= 1000) {
        double power = scalbn(1, (int)y * (exponent - 1));
        return x < 0 && is_odd ? -power : power;
    }
    if (is_integer && y > 1 && y <= 64) {
        double product = x;
        int n = (int)y;
        for (; n > 1 && has_exact_product(product, x); n--) product *= x;
        if (n == 1) return product;
    }
    return any_power(x, y);
}
float powf(float x, float y) {
    double result = pow(x, y);
    if (x == 0 || x - x != 0 || y - y != 0) return (float)result;
    if (result == result && result - result == 0 && result != 0 && fabs(result) < 0x1p120 && fabs(result) > 0x1p-120) return (float)result;
    return (float)ranged(result);
}
