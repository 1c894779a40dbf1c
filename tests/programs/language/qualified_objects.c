// Qualified objects behave as unqualified ones do: values have no qualifiers.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
struct S { int a; const int b; volatile short c[2]; struct { const char *n; } in; };
static const struct S cs = { 1, 2, { 3, 4 }, { "x" } }; static struct S table[] = { { 1, 2, { 3 }, { "a" } }, { .b = 5 } }; static const struct S *const ptrs[] = { &cs, table, &table[1] };
static const struct S mk(int a) { const struct S s = { .a = a, .b = a + 1 }; return s; }
static int take(const struct S s) { return s.a + s.b; } static int takep(const struct S *const restrict s) { return s->a * 10 + s->b + s->c[1]; }
typedef const struct S CS; typedef char *str; typedef const int ci; typedef int arr3[3]; static const arr3 ca3 = { 1, 2, 3 };
static int sum(const int *p, size_t n) { int s = 0; while (n--) s += *p++; return s; } static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
extern const int later[]; static int use(void) { return later[1]; } const int later[3] = { 7, 8, 9 };
extern volatile int vg; volatile int vg = 3; static volatile struct S vs; static const char *const names[] = { "a", "b", NULL }; static const char msg[] = "hey"; const double pi = 3.25;
struct flex { int n; const char d[]; }; static const struct flex fx = { 2, "ab" }; enum color { RED, GREEN }; static const enum color col = GREEN;
static _Atomic volatile int av = 1; static volatile _Atomic(int) *avp = &av; static const _Atomic int cav = 4; static int (*const fns[])(const void *, const void *) = { cmp };
union U { const int i; float f; }; static const union U cu = { 5 }; static int konst(void) { static const int k = 4; static const int *const kp = &k; return *kp; }
static void fill(int *restrict out, const volatile int *in, int n) { for (int i = 0; i < n; i++) out[i] = in[i]; }
static int vararg(const char *fmt, ...) { __builtin_va_list ap; __builtin_va_start(ap, fmt); const char *s = __builtin_va_arg(ap, const char *); const int k = __builtin_va_arg(ap, const int); __builtin_va_end(ap); return s[0] + k; }
int main(void) {
    struct S s = cs;
    assert(s.b == 2 && s.in.n[0] == 'x' && s.c[1] == 4);
    memcpy(&table[1], &cs, sizeof cs);
    assert(ptrs[2]->b == 2 && take(*ptrs[0]) == 3 && takep(ptrs[2]) == 16);
    assert(mk(4).b == 5 && take(mk(1)) == 3);
    CS t = mk(8);
    assert(t.a == 8 && (1 ? t : s).a == 8 && (0 ? cs : s).a == 1);
    const str p = (char *)"zz";
    assert(p[0] == 'z');
    ci k = 3;
    int vla[k];
    vla[2] = 1;
    assert(sizeof vla == 12 && sum(ca3, 3) == 6 && sum(vla + 2, 1) == 1 && use() == 8);
    assert(fns[0](&k, &k) == 0 && cmp(&ca3[0], &ca3[1]) < 0);
    vg += 2;
    assert(vg == 5 && vg++ == 5);
    vs.a = vg;
    assert(vs.a == 6);
    vs.c[1] = -1;
    assert(vs.c[1] == -1);
    const char *const *n = names;
    int cnt = 0;
    while (*n) cnt += **n++;
    assert(cnt == 'a' + 'b' && sizeof msg == 4 && msg[1] == 'e' && pi == 3.25 && fx.d[1] == 'b' && col == 1);
    av++;
    *avp += 2;
    assert(av == 4 && atomic_load(avp) == 4 && atomic_load(&cav) == 4 && cu.i == 5 && konst() == 4);
    int o[3];
    volatile int in[3] = { 1, 2, 3 };
    fill(o, in, 3);
    assert(o[2] == 3 && vararg("", "q", 2) == 'q' + 2);
    const struct { int x; } anon = { 4 }, *pa = &anon;
    assert(pa->x == 4);
    const int m[2][2] = { { 1, 2 }, { 3, 4 } };
    const int (*row)[2] = m;
    assert(row[1][0] == 3 && *m[1] == 3 && sizeof *row == 8);
    int *mut = (int *)&m[0][0];
    assert(mut[3] == 4);
    void *const vp = o;
    assert(((const int *)vp)[1] == 2);
    const void *cvp = o;
    assert(*(const int *)cvp == 1);
    typeof(k) k2 = 5;
    typeof(&k) kp = &k2;
    assert(*kp == 5);
    const __auto_type au = s;
    assert(au.a == 1);
    struct S *dyn = malloc(sizeof *dyn);
    memcpy(dyn, &(const struct S){ 9, 8 }, sizeof *dyn);
    assert(dyn->b == 8);
    free(dyn);
    const struct S arr[2] = { { 1 }, cs };
    assert(arr[1].b == 2);
    static const int sel[] = { [GREEN] = 4 };
    assert(sel[col] == 4);
    const _Bool bb = 3;
    assert(bb == 1 && -bb == -1);
    const unsigned char uc = 200;
    assert(uc + 100 == 300);
    const float cf = 0.5;
    assert(cf + cf == 1);
    const char ch = -1;
    assert(ch < 0 && (ch ? 1 : 0));
    volatile unsigned bf = 7;
    bf <<= 29;
    assert(bf == 0xe0000000);
    switch (k) { case 3: break; default: assert(0); } for (const char *c = "ab"; *c; c++) cnt++;
    assert(cnt == 'a' + 'b' + 2);
    return 0;
}
