// Assorted: static initialisers that are computed: addresses, differences, conversions, floating constants.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern int arr[5];
static int *p1 = &arr[2], *p2 = arr + 3;
static long diff = (char *)&arr[3] - (char *)&arr[1];
static int *p3 = &*(arr + 1);
int arr[5] = {1, 2, 3, 4, 5};
static struct {
    int a;
    int *self;
    struct {
        short b, c;
    } in;
} st = {1, &st.a, {2, 3}};
static short *sp = &st.in.c;
static const char *str = "hi" + 1;
static char ca[] = {'a' + 1, sizeof(long), -1, 300 & 255};
static double d = 1.5 * 2 + 1;
static float f = 1 / 3.f;
static int i = (int)3.99, j = (char)300, k = -7 / 2, l = -7 % 3, m = 1 << 4 | 1, n = !5, o = ~0, q = 5 > 3 && 2,
           r = 0 || 0, s = 3 ? 4 : 1;
static unsigned u = -1, v = 1u - 2;
static long w = (unsigned)-1, x = -1u, y = 0xffffffff, z = -2147483648;
static int sw = sizeof(int[2][3]), cmp = -1 < 1u, fcmp = 0.1f == 0.1, sh = -8 >> 1, sel = 1 ? 2 : 3.0, ch = '\xff',
           bl = (_Bool)0.1, cmm = (int)sizeof(char) + 1;
static unsigned long long ull = 18446744073709551615u, sx = (long)-1, zx = (unsigned)-1;
static void *vp = (void *)16;
static int (*fp)(const char *, const char *) = strcmp;
static char *nul = 0, *nu2 = (void *)0;
static int neg = -(-2147483647 - 1 + 1), tern = (2 > 1) ? sizeof(int) : sizeof(char);
static signed char sc = 200;
static unsigned char uc = -1;
static short ss = 70000;
static _Bool b1 = 2, b2 = 0.0, b3 = &arr != 0;
static const int ci = 5;
static int fromc[sizeof(ci) + 1];
static int *pneg = &arr[5] - 2;
static double dn = -0.0, di = 1e308 * 10, dd = 3;
static int trunc_ = (int)-0.9;
static unsigned char uf = (unsigned char)1e2;
static unsigned long af = (unsigned long)&((struct { int a, b; } *)0)->b;
int main(void) {
    assert(*p1 == 3 && *p2 == 4 && diff == 8 && *p3 == 2 && *st.self == 1 && *sp == 3 && *str == 'i' && ca[0] == 'b' &&
           ca[1] == 8 && ca[2] == -1 && ca[3] == 44);
    assert(d == 4 && f == 1 / 3.f && i == 3 && j == 44 && k == -3 && l == -1 && m == 17 && n == 0 && o == -1 &&
           q == 1 && r == 0 && s == 4 && u == UINT_MAX && v == UINT_MAX);
    assert(w == 4294967295 && x == 4294967295 && y == 4294967295 && z == INT_MIN && sw == 24 && cmp == 0 && fcmp == 0 &&
           sh == -4 && sel == 2 && ch == -1 && bl == 1 && cmm == 2 && ull == UINT64_MAX && sx == UINT64_MAX &&
           zx == 4294967295);
    assert(vp == (void *)16 && !fp("a", "a") && !nul && !nu2 && neg == INT_MAX && tern == 4);
    assert(sc == -56 && uc == 255 && ss == 4464 && b1 && !b2 && b3 && sizeof fromc == 20 && *pneg == 4 && 1 / dn < 0 &&
           di > 1e308 && dd == 3 && trunc_ == 0 && uf == 100 && af == 4);
    return 0;
}
