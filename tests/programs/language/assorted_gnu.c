// Assorted: variadic functions, integers of 128 bits, arrays of variable length, computed jumps, flexible arrays, compound literals,
// designated initialisers that overlap, statement expressions, alignment, wide strings.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>
#include <uchar.h>
#include <stdalign.h>
#include <stdlib.h>
struct big { long a, b, c; }; struct small { char c; }; union un { int i; double d; };
static void f1(int n, ...) {
    va_list ap, aq;
    va_start(ap, n);
    assert(va_arg(ap, int) == 1);
    assert(va_arg(ap, double) == 2.5);
    va_copy(aq, ap);
    assert(va_arg(ap, long) == 3);
    assert(!strcmp(va_arg(ap, char *), "four"));
    struct big b = va_arg(ap, struct big);
    assert(b.b == 6);
    struct small s = va_arg(ap, struct small);
    assert(s.c == 'x');
    assert(va_arg(ap, unsigned long long) == ~0ULL);
    assert(va_arg(ap, int) == -1);
    union un u = va_arg(ap, union un);
    assert(u.d == 1.25);
    assert(va_arg(ap, struct big).c == 9);
    va_end(ap);
    assert(va_arg(aq, long) == 3);
    va_end(aq);
}
static int vsum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; }
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = vsum(n, ap); va_end(ap); return s; }
static int psum(int n, va_list *ap) { int s = 0; while (n--) s += va_arg(*ap, int); return s; }
static int sum2(int n, ...) { va_list ap; va_start(ap, n); int s = psum(n - 1, &ap); s += 100 * va_arg(ap, int); va_end(ap); return s; }
static int i128(void) { __int128 a = 1; a <<= 100; unsigned __int128 b = ~(unsigned __int128)0; assert(a / 3 * 3 != 0); assert((b >> 64) == 0xffffffffffffffffULL); assert((int)(a >> 98) == 4); assert(a % 1000 == 376); assert(b / 10 % 10 == 5); assert((double)a == 1267650600228229401496703205376.0); assert(-a < 0); return 0; }
static int count;
static int eff(void) { return ++count; }
static void vla(int n) {
    int a[n = n + 1];
    assert(n == 4 && sizeof a == 16);
    for (int i = 0; i < n; i++) a[i] = i;
    n = 100;
    assert(sizeof a == 16);
    count = 0;
    char b[eff() + 2];
    assert(sizeof b == 3 && count == 1);
    assert(sizeof(char[eff()]) == 2 && count == 2);
    (void)sizeof(int);
    int *p = a;
    assert(p[3] == 3);
    for (int k = 1; k < 4; k++) { int c[k]; c[k-1] = k; assert(sizeof c == k * sizeof(int)); }
}

static int param(int n, int a[n]) { return a[n-1]; }
static int cg(int x) { static void *tab[] = { &&l0, &&l1, &&l2 }; goto *tab[x]; l0: return 10; l1: return 11; l2: return 12; }
static int cg2(int x) { void *p = x ? &&a : &&b; goto *p; a: return 1; b: return 2; }
struct flex { int n; int a[]; };
static struct flex fl = { 3, { 1, 2, 3 } };
struct node { struct node *next; int v; };
static int lits(void) { struct node *p = &(struct node){ &(struct node){ 0, 2 }, 1 }; int s = p->v + p->next->v; int *q = 0; for (int i = 0; i < 3; i++) { int *r = (int[]){ i, i + 1 }; s += r[1]; r[1] = 7; q = r; } (void)q; return s; }
static int over[] = { [0 ... 4] = 1, [2] = 5, [3 ... 5] = 7, [1] = 9 };
static struct { int a; struct { int x, y; } b; int c[3]; } des = { .b.y = 4, .b.x = 3, .c[1] = 6, 7, .a = 1, .b = { .y = 8 } };
static int se(int x) { int r = ({ int y = x; if (y > 3) y = 3; y * 2; }); return r + ({ eff(); }); }
_Alignas(32) static char al[3]; struct alignas_s { char c; _Alignas(16) char d; };
int main(void) {
    struct big b = { 5, 6, 7 };
    struct small s = { 'x' };
    union un u = { .d = 1.25 };
    f1(0, 1, 2.5f, 3L, "four", b, s, ~0ULL, (signed char)-1, u, (struct big){ 7, 8, 9 });
    assert(sum(3, 1, 2, 3) == 6);
    assert(sum2(3, 1, 2, 3) == 303);
    i128();
    vla(3);
    int pa[] = {1,2,3};
    assert(param(3, pa) == 3);
    assert(cg(1) == 11 && cg(2) == 12 && cg2(1) == 1 && cg2(0) == 2);
    assert(fl.a[2] == 3 && sizeof fl == 4);
    struct flex *f = malloc(sizeof *f + 8);
    f->n = 2;
    f->a[1] = 4;
    assert(f->a[1] == 4);
    free(f);
    assert(lits() == 9);
    assert(over[0] == 1 && over[1] == 9 && over[2] == 5 && over[3] == 7 && over[4] == 7 && over[5] == 7 && sizeof over == 24);
    assert(des.b.x == 0 && des.b.y == 8 && des.c[0] == 0 && des.c[1] == 6 && des.c[2] == 7 && des.a == 1);
    count = 0;
    assert(se(5) == 7 && count == 1);
    assert(_Alignof(al) == 32 && (uintptr_t)al % 32 == 0 && sizeof(struct alignas_s) == 32);
    assert(sizeof(L"ab") == 12 && L"ab"[1] == L'b' && u"\u00e9"[0] == 0xe9 && U"\U0001f600"[0] == 0x1f600 && sizeof(u8"é") == 3 && sizeof(u"\U0001f600") == 6);
    assert('ab' == 'a' * 256 + 'b');
    assert("\x41\102\e"[0] == 'A' && "\102"[0] == 'B');
    assert(sizeof("a" "b" L"c") == 16);
    assert('\377' == -1);
    assert(L'\377' == 255);
    return 0;
}
