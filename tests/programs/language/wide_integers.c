// long long and __int128: wide multiplication, division, shifts and comparisons.
// expect: unreach-call true
// expect: no-overflow true
// expect: termination true
#include <assert.h>
#include <limits.h>

int main(void)
{
    long long a = LLONG_MAX;
    unsigned long long u = ULLONG_MAX;
    __int128 wide = (__int128)a * a;
    unsigned __int128 square = (unsigned __int128)u * u;
    assert(wide / a == a && wide % a == 0);
    assert((unsigned long long)square == 1 && (unsigned long long)(square >> 64) == u - 1);
    assert(wide > a && -wide < 0);
    assert(((__int128)1 << 100) >> 98 == 4);
    assert(sizeof wide == 16);
    assert(u + 1 == 0 && a / -3 == -3074457345618258602LL);
    return 0;
}
