// Assorted: jump tables, packed records, bit-fields in unions, bytes of objects, side effects in lvalues.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
static int jt(int x) { static const int tab[] = { &&l0 - &&l0, &&l1 - &&l0, &&l2 - &&l0 }; goto *(&&l0 + tab[x]); l0: return 5; l1: return 6; l2: return 7; }
struct bits { unsigned a : 1; unsigned : 3; unsigned b : 4; unsigned : 0; signed c : 9; unsigned long long d : 33; _Bool e : 1; char f : 4; };
static struct bits bs = { 1, 9, -200, 0x1ffffffff, 1, -3 };
#pragma pack(push, 1)
struct pk { char c; int i; struct { short s; long l; } n; };
#pragma pack(pop)
static struct pk pks[2] = { { 1, 2, { 3, 4 } }, { 5, 6, { 7, 8 } } };
struct __attribute__((packed)) pb { unsigned a : 3; unsigned b : 20; unsigned c : 13; };
union ub { struct { unsigned a : 4, b : 4; } s; unsigned char c; };
static int deref(const volatile int *const restrict p) { return *p; }
typedef struct { int v; } box; static box mkb(int v) { box b = { v }; return b; } static box addb(box a, box b) { a.v += b.v; return a; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static char *dup(const char *s) { size_t n = 0; while (s[n++]); char *p = malloc(n); while (n--) p[n] = s[n]; return p; }
static unsigned long hash(const char *s) { unsigned long h = 5381; int c; while ((c = *s++)) h = h * 33 ^ c; return h; }
static void swap(void *a, void *b, size_t n) { char *x = a, *y = b, t; while (n--) t = *x, *x++ = *y, *y++ = t; }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void isort(void *base, size_t n, size_t w, int (*c)(const void *, const void *)) { for (size_t i = 1; i < n; i++) for (size_t j = i; j && c((char *)base + (j - 1) * w, (char *)base + j * w) > 0; j--) swap((char *)base + (j - 1) * w, (char *)base + j * w, w); }
static int tern(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static uint32_t rotl(uint32_t x, int k) { return x << k | x >> (32 - k); }
static int strange(int n) { int i, s = 0; for (i = 0; i < n; ++i) { switch (i & 3) { case 0: s += 1; break; case 1: continue; case 2: if (i > 4) goto done; default: s += 10; } s += 100; } done: return s; }
static float fsum(const float *p, int n) { float s = 0; for (; n--; ) s += *p++; return s; }
static long long mul(int a, int b) { return (long long)a * b; }
static int cnt; static int *inc(int *p) { cnt++; return p; }
int main(void) {
    assert(jt(0) == 5 && jt(1) == 6 && jt(2) == 7);
    assert(bs.a == 1 && bs.b == 9 && bs.c == -200 && bs.d == 0x1ffffffff && bs.e == 1 && bs.f == -3);
    bs.c = 255;
    bs.c++;
    assert(bs.c == -256);
    bs.d++;
    assert(bs.d == 0 && bs.e == 1);
    bs.f = 7;
    bs.f++;
    assert(bs.f == -8);
    assert(sizeof(struct pk) == 15 && pks[1].n.l == 8 && *(char *)&pks[1] == 5);
    pks[0].n.l = -1;
    assert(pks[1].c == 5 && pks[0].n.s == 3);
    struct pb pb = { 5, 0xabcde, 0x1abc };
    assert(sizeof pb == 5 && pb.a == 5 && pb.b == 0xabcde && pb.c == 0x1abc);
    pb.b = 0;
    assert(pb.a == 5 && pb.c == 0x1abc);
    union ub ub = { .c = 0xa5 };
    assert(ub.s.a == 5 && ub.s.b == 10);
    ub.s.a = 15;
    assert(ub.c == 0xaf);
    int dv = 4;
    assert(deref(&dv) == 4);
    assert(addb(addb(mkb(1), mkb(2)), mkb(3)).v == 6);
    assert(fib(10) == 55);
    char *d = dup("hello");
    assert(!strcmp(d, "hello") && hash(d) == hash("hello"));
    free(d);
    int arr[] = { 5, 3, 9, -1, 3 };
    isort(arr, 5, sizeof *arr, cmp);
    assert(arr[0] == -1 && arr[1] == 3 && arr[4] == 9);
    assert(tern(5) == 1 && tern(-5) == -1 && tern(0) == 0);
    assert(rotl(0x80000001, 1) == 3 && rotl(0x12345678, 8) == 0x34567812);
    assert(strange(10) == 1 + 100 + 10 + 100 + 10 + 100 + 1 + 100);
    float fa[] = { 1.5f, 2.25f };
    assert(fsum(fa, 2) == 3.75f);
    assert(mul(1 << 20, 1 << 20) == 1LL << 40);
    int q = 3;
    *inc(&q) += 2;
    assert(cnt == 1 && q == 5);
    (*inc(&q))++;
    assert(cnt == 2 && q == 6);
    ++*inc(&q);
    *inc(&q) <<= 1;
    assert(cnt == 4 && q == 14);
    int z = *inc(&q) ? *inc(&q) : 0;
    assert(z == 14 && cnt == 6);
    z = *inc(&q) ?: 1;
    assert(cnt == 7);
    struct { box b[2]; } bb = { { { 1 }, { 2 } } };
    bb.b[cnt - 6].v++;
    assert(bb.b[1].v == 3);
    *(cnt > 3 ? &q : &z) = 77;
    assert(q == 77);
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = i * 0x11;
    uint32_t w;
    memcpy(&w, bytes + 1, 4);
    assert(w == 0x44332211);
    uint64_t ww = *(uint64_t *)bytes;
    assert(ww >> 56 == 0x77);
    ((uint16_t *)bytes)[1] = 0xbeef;
    assert(bytes[2] == 0xef && bytes[3] == 0xbe);
    double dd = 1;
    uint64_t db;
    memcpy(&db, &dd, 8);
    assert(db == 0x3ff0000000000000);
    int neg = -1;
    unsigned char lowb = neg;
    assert(lowb == 255);
    assert(((union { float f; uint32_t u; }){ .f = -2.0f }).u == 0xc0000000);
    int m[3][4] = { { 0 } };
    for (int i = 0; i < 12; i++) (&m[0][0])[i] = i;
    assert(m[2][1] == 9 && *(*(m + 1) + 2) == 6 && sizeof m / sizeof *m == 3 && &m[1] - &m[0] == 1);
    int (*mp)[4] = m + 1;
    assert(mp[-1][3] == 3 && (*mp)[0] == 4);
    char *lines[] = { "a", "bc", 0 };
    int total = 0;
    for (char **l = lines; *l; l++) for (char *c = *l; *c; c++) total += *c;
    assert(total == 'a' + 'b' + 'c');
    short sarr[] = { 1, -1 };
    assert(sarr[1] < sarr[0] && (unsigned short)sarr[1] > sarr[0]);
    int *end = arr + 5;
    assert(end - arr == 5 && end[-1] == 9 && arr <= end);
    size_t sz = 0;
    sz--;
    assert(sz == SIZE_MAX);
    for (size_t i = 3; i-- > 0; ) total += i;
    assert(total == 'a' + 'b' + 'c' + 3);
    return 0;
}
