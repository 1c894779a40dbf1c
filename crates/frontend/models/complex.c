/* Products and quotients of complex numbers, as libgcc computes them: gcc calls these functions where an operator has two complex operands.
 *
 * A product is the textbook's; if both of its parts are NaNs, infinities are recovered as C11 G.5.1 says. A quotient is Smith's (Algorithm 116: complex division, CACM 5, 1962):
 * it divides by the larger part of the divisor, after scaling that keeps what is computed on the way inside of the range (Baudin and Smith, A robust complex
 * division in Scilab, arXiv:1210.4539). Of `float`, it is the textbook's in `double`. A constant expression may be rounded otherwise by the compiler, which the
 * verdict says.
 */

extern double hypot(double, double);
extern float hypotf(float, float);
double cabs(double _Complex z) { return hypot(__real__ z, __imag__ z); }
float cabsf(float _Complex z) { return hypotf(__real__ z, __imag__ z); }

/* ---- float ---------------------------------------------------------------------------------------------------- */

static int is_infinite_sc(float x) { return x == __builtin_inff() || x == -__builtin_inff(); }
static float signed_sc(float magnitude, float x) { return __builtin_signbit(x) ? -magnitude : magnitude; }
static float boxed_sc(float x) { return signed_sc(is_infinite_sc(x) ? 1 : 0, x); }
static float cleared_sc(float x) { return x != x ? signed_sc(0, x) : x; }

float _Complex __mulsc3(float a, float b, float c, float d) {
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
    int again = 0;
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (is_infinite_sc(a) || is_infinite_sc(b)) {
        a = boxed_sc(a), b = boxed_sc(b), c = cleared_sc(c), d = cleared_sc(d);
        again = 1;
    }
    if (is_infinite_sc(c) || is_infinite_sc(d)) {
        c = boxed_sc(c), d = boxed_sc(d), a = cleared_sc(a), b = cleared_sc(b);
        again = 1;
    }
    if (!again && (is_infinite_sc(ac) || is_infinite_sc(bd) || is_infinite_sc(ad) || is_infinite_sc(bc))) {
        a = cleared_sc(a), b = cleared_sc(b), c = cleared_sc(c), d = cleared_sc(d);
        again = 1;
    }
    if (again) {
        x = __builtin_inff() * (a * c - b * d);
        y = __builtin_inff() * (a * d + b * c);
    }
    return __builtin_complex(x, y);
}

/* A quotient that was computed as two NaNs: something by zero, infinite by finite, or finite by infinite. */
static float _Complex recovered_sc(float a, float b, float c, float d, float x, float y) {
    float infinity = __builtin_inff();
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (c == 0 && d == 0 && (a == a || b == b)) {
        x = signed_sc(infinity, c) * a;
        y = signed_sc(infinity, c) * b;
    } else if ((is_infinite_sc(a) || is_infinite_sc(b)) && c - c == 0 && d - d == 0) {
        a = boxed_sc(a), b = boxed_sc(b);
        x = infinity * (a * c + b * d);
        y = infinity * (b * c - a * d);
    } else if ((is_infinite_sc(c) || is_infinite_sc(d)) && a - a == 0 && b - b == 0) {
        c = boxed_sc(c), d = boxed_sc(d);
        x = 0 * (a * c + b * d);
        y = 0 * (b * c - a * d);
    }
    return __builtin_complex(x, y);
}

float _Complex __divsc3(float a, float b, float c, float d) {
    double p = a, q = b, r = c, s = d, square = r * r + s * s;
    return recovered_sc(a, b, c, d, (float)((p * r + q * s) / square), (float)((q * r - p * s) / square));
}

/* ---- double --------------------------------------------------------------------------------------------------- */

static int is_infinite_dc(double x) { return x == __builtin_inf() || x == -__builtin_inf(); }
static double signed_dc(double magnitude, double x) { return __builtin_signbit(x) ? -magnitude : magnitude; }
static double boxed_dc(double x) { return signed_dc(is_infinite_dc(x) ? 1 : 0, x); }
static double cleared_dc(double x) { return x != x ? signed_dc(0, x) : x; }

double _Complex __muldc3(double a, double b, double c, double d) {
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
    int again = 0;
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (is_infinite_dc(a) || is_infinite_dc(b)) {
        a = boxed_dc(a), b = boxed_dc(b), c = cleared_dc(c), d = cleared_dc(d);
        again = 1;
    }
    if (is_infinite_dc(c) || is_infinite_dc(d)) {
        c = boxed_dc(c), d = boxed_dc(d), a = cleared_dc(a), b = cleared_dc(b);
        again = 1;
    }
    if (!again && (is_infinite_dc(ac) || is_infinite_dc(bd) || is_infinite_dc(ad) || is_infinite_dc(bc))) {
        a = cleared_dc(a), b = cleared_dc(b), c = cleared_dc(c), d = cleared_dc(d);
        again = 1;
    }
    if (again) {
        x = __builtin_inf() * (a * c - b * d);
        y = __builtin_inf() * (a * d + b * c);
    }
    return __builtin_complex(x, y);
}

/* A quotient that was computed as two NaNs: something by zero, infinite by finite, or finite by infinite. */
static double _Complex recovered_dc(double a, double b, double c, double d, double x, double y) {
    double infinity = __builtin_inf();
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (c == 0 && d == 0 && (a == a || b == b)) {
        x = signed_dc(infinity, c) * a;
        y = signed_dc(infinity, c) * b;
    } else if ((is_infinite_dc(a) || is_infinite_dc(b)) && c - c == 0 && d - d == 0) {
        a = boxed_dc(a), b = boxed_dc(b);
        x = infinity * (a * c + b * d);
        y = infinity * (b * c - a * d);
    } else if ((is_infinite_dc(c) || is_infinite_dc(d)) && a - a == 0 && b - b == 0) {
        c = boxed_dc(c), d = boxed_dc(d);
        x = 0 * (a * c + b * d);
        y = 0 * (b * c - a * d);
    }
    return __builtin_complex(x, y);
}

/* (a + bi) / (c + di) where |d| <= |c|; or of (b + ai) / (d + ci), which has a difference with the other sign. */
static double _Complex smith_dc(double a, double b, double c, double d, int swapped) {
    double ratio = d / c, divisor = d * ratio + c, x, y;
    if (signed_dc(1, ratio) * ratio > 0x1p-1022) {
        x = (b * ratio + a) / divisor;
        y = (swapped ? a * ratio - b : b - a * ratio) / divisor;
    } else {
        x = (a + d * (b / c)) / divisor;
        y = (swapped ? d * (a / c) - b : b - d * (a / c)) / divisor;
    }
    return __builtin_complex(x, y);
}

double _Complex __divdc3(double a, double b, double c, double d) {
    double first = a, second = b, third = c, fourth = d;
    double size_a = signed_dc(1, a) * a, size_b = signed_dc(1, b) * b, size_c = signed_dc(1, c) * c, size_d = signed_dc(1, d) * d;
    int swapped = size_c < size_d;
    double size = swapped ? size_d : size_c, scale = 1;
    double big = 0x1.fffffffffffffp1023 / 2, small = 0x1p-52, moderate = big * small;
    if (size >= big) a /= 2, b /= 2, c /= 2, d /= 2, size /= 2, size_a /= 2, size_b /= 2;
    if (size < small) scale = 1 / small;
    else if (size < moderate && (size_a < 0x1p-1022 && size_b < moderate || size_b < 0x1p-1022 && size_a < moderate)) scale = 1 / small;
    if (scale != 1) a *= scale, b *= scale, c *= scale, d *= scale;
    double _Complex quotient = swapped ? smith_dc(b, a, d, c, 1) : smith_dc(a, b, c, d, 0);
    double x = __real__ quotient, y = __imag__ quotient;
    return recovered_dc(first, second, third, fourth, x, y);
}

/* ---- long double ---------------------------------------------------------------------------------------------- */

static int is_infinite_xc(long double x) { return x == __builtin_infl() || x == -__builtin_infl(); }
static long double signed_xc(long double magnitude, long double x) { return __builtin_signbit(x) ? -magnitude : magnitude; }
static long double boxed_xc(long double x) { return signed_xc(is_infinite_xc(x) ? 1 : 0, x); }
static long double cleared_xc(long double x) { return x != x ? signed_xc(0, x) : x; }

long double _Complex __mulxc3(long double a, long double b, long double c, long double d) {
    long double ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
    int again = 0;
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (is_infinite_xc(a) || is_infinite_xc(b)) {
        a = boxed_xc(a), b = boxed_xc(b), c = cleared_xc(c), d = cleared_xc(d);
        again = 1;
    }
    if (is_infinite_xc(c) || is_infinite_xc(d)) {
        c = boxed_xc(c), d = boxed_xc(d), a = cleared_xc(a), b = cleared_xc(b);
        again = 1;
    }
    if (!again && (is_infinite_xc(ac) || is_infinite_xc(bd) || is_infinite_xc(ad) || is_infinite_xc(bc))) {
        a = cleared_xc(a), b = cleared_xc(b), c = cleared_xc(c), d = cleared_xc(d);
        again = 1;
    }
    if (again) {
        x = __builtin_infl() * (a * c - b * d);
        y = __builtin_infl() * (a * d + b * c);
    }
    return __builtin_complex(x, y);
}

/* A quotient that was computed as two NaNs: something by zero, infinite by finite, or finite by infinite. */
static long double _Complex recovered_xc(long double a, long double b, long double c, long double d, long double x, long double y) {
    long double infinity = __builtin_infl();
    if (!(x != x && y != y)) return __builtin_complex(x, y);
    if (c == 0 && d == 0 && (a == a || b == b)) {
        x = signed_xc(infinity, c) * a;
        y = signed_xc(infinity, c) * b;
    } else if ((is_infinite_xc(a) || is_infinite_xc(b)) && c - c == 0 && d - d == 0) {
        a = boxed_xc(a), b = boxed_xc(b);
        x = infinity * (a * c + b * d);
        y = infinity * (b * c - a * d);
    } else if ((is_infinite_xc(c) || is_infinite_xc(d)) && a - a == 0 && b - b == 0) {
        c = boxed_xc(c), d = boxed_xc(d);
        x = 0 * (a * c + b * d);
        y = 0 * (b * c - a * d);
    }
    return __builtin_complex(x, y);
}

/* (a + bi) / (c + di) where |d| <= |c|; or of (b + ai) / (d + ci), which has a difference with the other sign. */
static long double _Complex smith_xc(long double a, long double b, long double c, long double d, int swapped) {
    long double ratio = d / c, divisor = d * ratio + c, x, y;
    if (signed_xc(1, ratio) * ratio > 0x1p-16382L) {
        x = (b * ratio + a) / divisor;
        y = (swapped ? a * ratio - b : b - a * ratio) / divisor;
    } else {
        x = (a + d * (b / c)) / divisor;
        y = (swapped ? d * (a / c) - b : b - d * (a / c)) / divisor;
    }
    return __builtin_complex(x, y);
}

long double _Complex __divxc3(long double a, long double b, long double c, long double d) {
    long double first = a, second = b, third = c, fourth = d;
    long double size_a = signed_xc(1, a) * a, size_b = signed_xc(1, b) * b, size_c = signed_xc(1, c) * c, size_d = signed_xc(1, d) * d;
    int swapped = size_c < size_d;
    long double size = swapped ? size_d : size_c, scale = 1;
    long double big = 0x1.fffffffffffffffep16383L / 2, small = 0x1p-63L, moderate = big * small;
    if (size >= big) a /= 2, b /= 2, c /= 2, d /= 2, size /= 2, size_a /= 2, size_b /= 2;
    if (size < small) scale = 1 / small;
    else if (size < moderate && (size_a < 0x1p-16382L && size_b < moderate || size_b < 0x1p-16382L && size_a < moderate)) scale = 1 / small;
    if (scale != 1) a *= scale, b *= scale, c *= scale, d *= scale;
    long double _Complex quotient = swapped ? smith_xc(b, a, d, c, 1) : smith_xc(a, b, c, d, 0);
    long double x = __real__ quotient, y = __imag__ quotient;
    return recovered_xc(first, second, third, fourth, x, y);
}

/* ---- the functions of <complex.h> that are exact ------------------------------------------------------------------ */

/* All infinities are one. */
double _Complex cproj(double _Complex z) {
    double x = __real__ z, y = __imag__ z, zero = 0;
    if (is_infinite_dc(x) || is_infinite_dc(y)) return __builtin_complex(__builtin_inf(), signed_dc(zero, y));
    return z;
}
float _Complex cprojf(float _Complex z) {
    float x = __real__ z, y = __imag__ z, zero = 0;
    if (is_infinite_sc(x) || is_infinite_sc(y)) return __builtin_complex(__builtin_inff(), signed_sc(zero, y));
    return z;
}
