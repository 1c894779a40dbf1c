// Products and quotients of complex numbers: rounding, and infinities that are recovered from NaNs (C11 G.5.1).
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <complex.h>
#include <math.h>

int main(void) {
    double _Complex a = 1.0 + 2.0 * I, b = 3.0 - 4.0 * I, product = a * b, quotient = a / b;
    assert(creal(product) == 11 && cimag(product) == 2);
    assert(creal(quotient) == -0.2 && cimag(quotient) == 0.4);
    a /= b;
    assert(a == quotient);
    float _Complex c = 1.0f + 2.0f * I, d = 3.0f - 4.0f * I, e = c / d;
    assert(crealf(e) == -0.2f && cimagf(e) == 0.4f);
    long double _Complex f = 1.0L + 2.0L * I, g = 3.0L - 4.0L * I;
    assert(cimagl(f / g) == 0.4L);
    double _Complex infinite = __builtin_complex((double)INFINITY, (double)NAN);
    assert(isinf(creal(infinite * b)) && isinf(cimag(infinite * b)));
    assert(isinf(creal(b / (0 * b))));
    assert(creal(b / infinite) == 0 && cimag(b / infinite) == 0);
    double _Complex huge = 1e300 + 1e300 * I;
    assert(creal(huge / huge) == 1 && cimag(huge / huge) == 0);
    assert(cabs(b) == 5 && hypot(3e300, 4e300) == 5e300);
    return 0;
}
