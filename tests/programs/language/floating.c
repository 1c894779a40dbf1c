// Doubles and floats with exactly representable values, conversions from and to integers, infinities and NaN.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

int main(void)
{
    double half = 0.5, big = 1e308;
    float third = 1.0f / 3.0f;
    int n = (int)-2.75;
    assert(half + half == 1.0 && half * 4 == 2);
    assert(n == -2 && (int)2.75f == 2);
    assert(0.1 + 0.2 != 0.3);
    assert(third != 1.0 / 3.0 && sizeof(third * 1.0f) == 4);
    assert((float)16777217 == 16777216.0f && (double)16777217 == 16777217.0);
    assert(7 / 2 == 3 && 7 / 2.0 == 3.5);
    double infinite = big * 10, nan = infinite - infinite;
    assert(infinite > big && nan != nan && !(nan < 0) && !(nan >= 0));
    assert(-0.0 == 0.0 && (_Bool)0.25 && !0.0);
    return 0;
}
