// Complex numbers: arithmetic by parts, conversions from and to real numbers, parts as lvalues, static initialisers, arguments and results. An operation with
// a real number leaves the imaginary part alone.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <complex.h>

double complex shared = 3.0 + 4.0 * I;
float _Complex small[2] = {1.0f, 2.0fi};
_Complex int whole = 2 + 3i;

struct Wave {
    char tag;
    double complex amplitude;
};

static double complex shifted(double complex z, double by) { return z - by; }

static void arithmetic(void) {
    double complex z = 1.0 + 2.0 * I, w = z * z;
    assert(creal(w) == -3 && cimag(w) == 4 && z != w && z == z);
    assert(creal(z + w) == -2 && cimag(z - w) == -2 && creal(-z) == -1 && cimag(conj(z)) == -2);
    assert(cimag(5 - z) == -2 && creal(5 - z) == 4 && cimag(z * 3) == 6 && creal(z / 2) == 0.5);
    z += 1;
    z *= I;
    assert(creal(z) == -2 && cimag(z) == 2);
    double complex old = z++;
    assert(creal(old) == -2 && creal(z) == -1 && cimag(z) == 2);
    assert((~z) == conj(z));
    double d = 1;
    d += z;
    assert(d == 0);
}

static void parts(void) {
    double complex z = 0;
    __real__ z = 5;
    __imag__ z = 7;
    assert(z == 5 + 7 * I && !(z != 5 + 7 * I));
    (__imag__ z)++;
    assert(cimag(z) == 8 && __real__ 3.5 == 3.5 && __imag__ 3.5 == 0);
    double *p = (double *)&z;
    assert(p[0] == 5 && p[1] == 8 && sizeof(z) == 16 && sizeof(float complex) == 8);
    assert(__real__ whole == 2 && __imag__(whole * whole) == 12);
}

static void conversions(void) {
    float complex f = shared;
    assert(crealf(f) == 3.0f && cimagf(f) == 4.0f && f == shared);
    double d = shared;
    _Bool some = 2.0i, none = 0.0i;
    assert(d == 3 && some && !none && (int)shared == 3);
    long double complex l = small[1];
    assert(cimagl(l) == 2.0L && creall(l) == 0);
    if (small[1])
        d = (0 ? shared : 9.0);
    assert(d == 9 && (shared ? 1 : 0) && !(!shared) && (shared && 1));
    assert(creal(1 ? 2.0 : shared) == 2);
}

static void objects(void) {
    struct Wave a = {1, 2.0 + 1.0i}, b = a;
    assert(b.amplitude == 2.0 + 1.0i && creal(shifted(b.amplitude, 1)) == 1);
    double complex array[] = {1, I, [3] = 2};
    assert(sizeof(array) == 4 * sizeof(double complex) && cimag(array[1]) == 1 && array[2] == 0);
    assert(creal(array[1] * array[1]) == -1 && array[3] == shifted(3, 1));
    int n = 0;
    array[n++] += 1;
    assert(n == 1 && array[0] == 2);
    static double complex twice = 2 * (1.0 + 1.0i);
    assert(twice == 2 + 2 * I && cimag(__builtin_complex(1.0, 6.0)) == 6);
}

int main(void) {
    arithmetic();
    parts();
    conversions();
    objects();
    return 0;
}
