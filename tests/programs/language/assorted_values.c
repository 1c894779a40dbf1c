// Assorted: records as values, old-style functions, unions, floating-point conversions, copies.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <string.h>
#include <stdint.h>
#include <stdlib.h>
struct S { char c; int i; double d; short a[3]; struct { unsigned x:3, y:7; signed z:2; } b; };
static struct S gs[2] = { { 'a', 1, 2.0, { 1, 2, 3 }, { 7, 100, -1 } }, { .b = { .y = 5 }, .a = { [1] = 4 } } };
static struct S pass(struct S s, int k) { s.i += k; s.a[1]++; s.b.x++; return s; }
static struct S *self(struct S *s) { return s; }
static struct S chain(struct S s) { return pass(pass(s, 1), 2); }
typedef struct S (*op)(struct S, int);
static int calls; static int idx(void) { return calls++; }
static int vals[10];
static double dbl(float f) { return f; }
static float flt(double d) { return d; }
static unsigned char uc(int x) { return x; }
static _Bool tb(int x) { return x; }
static long mixed(char a, short b, int c, long d, float e, double f, _Bool g, unsigned char h) { return a + b * 2 + c * 3 + d * 4 + (long)e * 5 + (long)f * 6 + g * 7 + h * 8; }
static int old(a, b) char a; float b; { return a + (int)b; }
static void noproto(); static void noproto(int x, double y) { assert(x == 3 && y == 4.0); }
static union { struct { uint8_t lo, hi; }; uint16_t w; struct { uint16_t f : 12, g : 4; }; } un;
struct in { int a; union { int b; float c; }; struct { int d, e; }; };
static const struct in ins[] = { { 1, { 2 }, { 3, 4 } }, { .c = 1.0f, .e = 5 } };
static int (*table[3])(int) ; static int neg(int x) { return -x; }
static int rec(int n, int *acc) { int local = n; if (n) rec(n - 1, &local); *acc += local; return local; }
int main(void) {
    struct S s = chain(gs[0]);
    assert(s.i == 4 && s.a[1] == 4 && s.b.x == 1 && gs[0].i == 1 && gs[0].b.x == 7 && s.b.z == -1 && s.b.y == 100);
    op o = pass;
    assert(o(gs[1], 5).i == 5 && (*o)(gs[1], 5).a[1] == 5 && o(s, 1).b.y == 100);
    assert(self(&s)->a[2] == 3 && (*self(&s)).c == 'a');
    vals[idx()] = idx();
    assert(calls == 2);
    calls = 0;
    vals[idx()] += 5;
    assert(calls == 1);
    vals[idx()]++;
    assert(calls == 2 && vals[1] == 1 || vals[1] == 2);
    assert(dbl(0.1) != 0.1 && flt(0.1) == 0.1f && uc(300) == 44 && tb(256) == 1 && tb(0) == 0);
    assert(mixed(1, 2, 3, 4, 5.9, 6.9, 8, 256 + 9) == 1 + 4 + 9 + 16 + 25 + 36 + 7 + 72);
    assert(old('a', 2.7) == 99);
    noproto(3, 4.0);
    un.w = 0x1234;
    assert(un.lo == 0x34 && un.hi == 0x12 && un.f == 0x234 && un.g == 1);
    un.f = 0xabc;
    assert(un.w == 0x1abc);
    assert(ins[0].b == 2 && ins[0].d == 3 && ins[1].c == 1.0f && ins[1].a == 0 && ins[1].e == 5);
    table[1] = neg;
    assert(!table[0] && table[1](3) == -3 && table[1] == &neg && table[1] != 0 && *table[1] == neg);
    int acc = 0;
    rec(3, &acc);
    assert(acc == 6);
    struct S t[2];
    memcpy(t, gs, sizeof t);
    assert(!memcmp(&t[0].a, &gs[0].a, sizeof t[0].a) && t[1].b.y == 5);
    memset(&t[0], 0, sizeof t[0]);
    assert(t[0].d == 0 && t[0].b.z == 0);
    t[0] = t[1];
    t[1] = gs[0];
    assert(t[0].b.y == 5 && t[1].c == 'a');
    t[0] = t[0];
    int a[3] = { 1, 2, 3 }, b[3];
    memcpy(b, a, sizeof a);
    memmove(a + 1, a, 8);
    assert(a[2] == 2 && b[2] == 3);
    char buf[8] = "ab";
    assert(buf[7] == 0 && sizeof buf == 8);
    char two[2][4] = { "abc", { 'd' } };
    assert(two[1][0] == 'd' && two[1][1] == 0 && two[0][3] == 0);
    int64_t big = INT64_MIN;
    assert(big < 0 && -(big + 1) > 0 && (uint64_t)big == 1ull << 63 && big >> 63 == -1 && (uint32_t)(big >> 32) == 0x80000000u);
    uint8_t sh = 0x80;
    assert(sh << 1 == 256 && (uint8_t)(sh << 1) == 0 && ~sh == -129 && (sh >> 7) == 1 && -sh == -128 && !sh == 0);
    float f = 16777216.0f;
    f += 1;
    assert(f == 16777216.0f);
    double inf = 1e308 * 10;
    assert(inf > 1e308 && -inf < 0 && inf != inf - inf && (inf - inf) != (inf - inf));
    assert((int)(float)0.9999999999 == 1 && (unsigned long)1.8e19 == 18000000000000000000ul && (long)-0.5 == 0 && 1 / 2.0 == 0.5 && 7 / 2 * 2.0 == 6);
    assert((float)0x7fffffff == 2147483648.0f && (double)0x7fffffffffffffffL == 9223372036854775808.0 && (float)-1u == 4294967296.0f);
    int *p = malloc(3 * sizeof *p);
    p[0] = 5;
    p = realloc(p, 10 * sizeof *p);
    assert(p[0] == 5);
    int **pp = &p, ***ppp = &pp;
    ***ppp = 9;
    assert(*p == 9);
    free(p);
    char *cp = (char *)&big;
    assert(cp[7] == (char)0x80 && *(int *)(cp + 4) == INT32_MIN);
    uintptr_t ip = (uintptr_t)cp;
    assert(*(char *)(ip + 7) == (char)0x80);
    for (int i = 0, j = 10; i < j; i++, j--) { if (i == 3) goto out; switch (i) { case 1: continue; default: break; } } assert(0);
    out:;
    int k = 0;
    while (k < 10) { if (++k == 5) break; else continue; } assert(k == 5);
    { int k = k = 3; assert(k == 3); }
    int n = 3;
    int m = n++ * 2 + n;
    (void)m;
    n = n-- - --n ? 1 : 1;
    int q = (n = 4, n + 1);
    assert(q == 5);
    int r = n == 4 ? q > 3 ? 1 : 2 : 3;
    assert(r == 1);
    unsigned z = -1;
    assert(z == 0xffffffffu && z + 1 == 0 && (z & 1) && z >> 31 == 1 && (int)z >> 31 == -1);
    short ss = -1;
    assert((unsigned short)ss == 65535 && (unsigned)ss == 0xffffffff && ss >> 1 == -1 && (ss ^ 1) == -2);
    long ll = 1L << 40;
    assert((int)ll == 0 && (ll && 1) && !(int)ll && (ll | 1) == (1L << 40) + 1);
    if (ll) ;
    else assert(0);
    assert(ll ? 1 : 0);
    assert(0.5 ? 1 : 0);
    if (0.5) ;
    else assert(0);
    if (!0.5) assert(0);
    double nz = -0.0;
    if (nz) assert(0);
    return 0;
}
