// Arithmetic that reports overflow, classes of floating-point numbers, exact functions of math.h.
// expect: unreach-call true
// expect: no-overflow true
#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

int main(void) {
    int sum;
    unsigned char byte;
    assert(__builtin_add_overflow(INT_MAX, 1, &sum) && sum == INT_MIN);
    assert(!__builtin_mul_overflow(15, 17, &byte) && byte == 255);
    assert(__builtin_parity(7u) == 1 && __builtin_ffs(8) == 4 && __builtin_clrsb(-1) == 31);
    double zero = 0.0, nan = zero / zero;
    assert(isnan(nan) && isinf(1 / zero) && signbit(-zero) && fpclassify(zero) == FP_ZERO);
    assert(floor(-1.5) == -2 && ceil(1.2) == 2 && trunc(-1.7) == -1 && round(2.5) == 3 && sqrt(2.25) == 1.5);
    assert(isdigit('7') && !isdigit('x') && toupper('q') == 'Q' && isspace('\t'));
    div_t d = div(-7, 2);
    assert(d.quot == -3 && d.rem == -1);
    return 0;
}
