// Assorted: static initialisers, thread-local objects, lists, labels, conversions in odd places.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <complex.h>
struct L { long double ld; };
static __thread int tls = 4; _Thread_local int tls2[3] = { 1, 2 };
extern int weakness; int weakness = 2;
static int fs(void) { static int n = 10; return n++; }
static int arr2[][2] = { { 1 }, { [1] = 2 }, 3, 4 };
static char *names[] = { [2] = "two", [0] = "zero" };
enum { N = sizeof arr2 / sizeof arr2[0] };
static struct { struct { int a, b[2]; } x[2]; } dd = { { [1].b[1] = 5, [0] = { 1, { 2, 3 } } } };
static int *const cpi = &arr2[1][1]; static void *vp = (char *)arr2 + 4; static intptr_t ipt = (intptr_t)&arr2[0][1];
static long diff = &arr2[2][0] - &arr2[0][0];
static double dconst = 1 / 3.0; static float fconst = 1e10; static int iconst = (int)2.9 + ('a' == 97) + (5 > 3 ? 10 : 20) + sizeof(int[3]); static unsigned long long ull = 1ULL << 63 | 0xf;
static const char text[] = "a\0b"; static const int64_t neg = -1; static uint32_t trunc = (uint32_t)0x1ffffffffLL; static signed char sc = (signed char)0xff; static _Bool bb = 5;
static inline __attribute__((always_inline)) int sq(int x) { return x * x; }
static int nested_cond(int a, int b, int c) { return a ? b ? 1 : 2 : c ? 3 : 4; }
static int early(int x) { if (x < 0) return -1; while (1) { if (x-- == 0) return 7; } }
static void out(int *p, const char *s, ...) { *p = s[0]; }
static unsigned bits(unsigned x) { unsigned n = 0; for (; x; x &= x - 1) n++; return n; }
static int sum_array(int (*a)[2], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) s += a[i][j]; return s; }
static int lab(int n) { int r = 0; again: r += n; if (--n > 0) goto again; return r; }
struct list { struct list *next; int v; }; static struct list *push(struct list *l, int v) { struct list *n = malloc(sizeof *n); *n = (struct list){ .next = l, .v = v }; return n; }
int main(void) {
    assert(tls++ == 4 && tls == 5 && tls2[1] == 2 && tls2[2] == 0 && weakness == 2);
    assert(fs() == 10 && fs() == 11);
    assert(N == 3 && arr2[1][1] == 2 && arr2[2][1] == 4);
    assert(!names[1] && names[2][1] == 'w' && sizeof names == 3 * sizeof(char *));
    assert(dd.x[1].b[1] == 5 && dd.x[0].b[0] == 2 && dd.x[1].a == 0);
    assert(*cpi == 2 && *(int *)vp == arr2[0][1] && *(int *)ipt == 0 && diff == 4);
    assert(dconst > 0.333 && fconst == 1e10f && iconst == 25 && ull >> 60 == 8);
    assert(sizeof text == 4 && text[2] == 'b' && neg < 0 && trunc == 0xffffffff && sc == -1 && bb == 1);
    assert(sq(3) == 9 && nested_cond(1, 0, 1) == 2 && nested_cond(0, 1, 0) == 4 && early(3) == 7 && early(-5) == -1);
    int o;
    out(&o, "x", 1, 2.0);
    assert(o == 'x');
    assert(bits(0xf0f) == 8 && sum_array(arr2, 3) == 10 && lab(4) == 10);
    struct list *l = push(push(0, 1), 2);
    assert(l->v == 2 && l->next->v == 1 && !l->next->next);
    for (struct list *n; l; l = n) { n = l->next; free(l); } assert(sizeof(struct L) == 16 && sizeof(long double) == 16 && sizeof(double complex) == 16);
    char s[16];
    strcpy(s, "abc");
    strcat(s, "def");
    assert(strlen(s) == 6 && !strcmp(s, "abcdef") && strchr(s, 'd') == s + 3 && !memcmp(s, "abc", 3) && strncmp(s, "abx", 2) == 0);
    errno = 0;
    assert(errno == 0);
    errno = EINTR;
    assert(errno == EINTR);
    volatile int v = 3;
    v++;
    v += v;
    assert(v == 8);
    register int rg = 4;
    rg *= 2;
    assert(rg == 8);
    const int c = 5;
    int ca[c];
    ca[4] = 1;
    assert(sizeof ca == 20 && ca[4] == 1);
    bool b = 7;
    b--;
    assert(!b);
    b--;
    assert(b);
    b = b + b;
    assert(b == 1);
    assert(true + true == 2 && sizeof(bool) == 1);
    int x = 0;
    x = x++ , x;
    { int y = ({ goto skip; 5; }); (void)y; } assert(0);
    skip:;
    int cnt = 0;
    for (;;) { if (cnt++ > 3) break; } assert(cnt == 5);
    unsigned u = 5;
    assert(u - 6 > 0 && (int)(u - 6) == -1 && -u == UINT_MAX - 4 && u % 3 == 2);
    assert((1 ? -1 : 0u) > 0);
    assert(sizeof(int) * -1 > 0);
    long lo = INT_MAX;
    lo++;
    assert(lo == 2147483648L && (int)lo == INT_MIN);
    int i2 = 1;
    int *pi = &i2;
    int **ppi = &pi;
    **ppi += 2;
    assert(i2 == 3 && *&i2 == 3 && &*pi == &i2 && &pi[0] == pi && *(pi + 0) == 3);
    struct { int f[3]; } w = { { 1, 2, 3 } }, w2 = w;
    w2.f[0] = 9;
    assert(w.f[0] == 1 && w2.f[2] == 3);
    int (*fpa[2])(int) = { sq, early };
    assert(fpa[0](4) == 16);
    assert((fpa[1])(0) == 7);
    typedef int row[2];
    row *pr = arr2;
    assert(pr[2][0] == 3 && (*pr)[0] == 1 && sizeof(row) == 8);
    assert(&arr2[1] == pr + 1 && (void *)&arr2[1] == &arr2[1][0]);
    switch (2ULL << 40) { case 2ULL << 40: break; case 0: assert(0); default: assert(0); } switch ((char)200) { case -56: break; default: assert(0); } switch (0) { int unreached = 4; default: unreached = 2; assert(unreached == 2); } switch (3) { } assert(!(0 || 0) && (1 || 0) && (2 && 3) == 1 && !!5 == 1 && ~0 == -1 && +-+1 == -1);
    abort_not: if (0) goto abort_not;
    return 0;
}
