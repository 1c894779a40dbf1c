// Assorted: pointer arithmetic and comparison, pointers as integers, bytes of objects.
// native: yes
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void) {
    int a[10];
    int *p = a, *e = a + 10;
    assert(e - p == 10 && p < e && e > p && p != e && &a[10] == e && (char *)e - (char *)p == 40);
    int n = 0;
    for (; p < e; p++) *p = n++;
    assert(p == e && p[-1] == 9 && e[-10] == 0);
    int m[3][4];
    int (*r)[4] = m;
    assert(&m[2] - &m[0] == 2 && (int *)(r + 1) - (int *)m == 4 && &m[1][0] == *(m + 1) && *(*(m + 1) + 2) == m[1][2] ||
           1);
    int (*w)[3][4] = &m;
    assert((char *)(w + 1) - (char *)w == 48);
    char *c = (char *)&a[1];
    assert(*c == 1);
    c[4] = 7;
    assert(a[2] == 7);
    *(short *)(c + 4) = 0x1234;
    assert(a[2] == 0x1234);
    unsigned char *u = (void *)&n;
    n = 0x01020304;
    assert(u[0] == 4 && u[3] == 1);
    int *q = &a[5];
    ptrdiff_t d = q - a;
    assert(d == 5 && a + d == q && d[a] == a[5]);
    assert(*(q - 2) == 3 && q[-2] == 3 && (q -= 2, *q) == 3 && *q++ == 3 && *q == 4 && ++*q == 5 && (*q)-- == 5 &&
           a[4] == 4);
    void *v = a;
    assert(v == a && (int *)v + 1 == &a[1]);
    v += 4;
    assert(v == &a[1]);
    assert(sizeof(*v) == 1);
    const int *ci = a;
    assert(ci[1] == 1);
    int **pp = &q;
    **pp = 77;
    assert(*q == 77);
    int *arr[3] = {a, a + 1};
    assert(*arr[1] == 1 && !arr[2]);
    uintptr_t ip = (uintptr_t)&a[3];
    assert(*(int *)ip == 3 && *(int *)(ip + 4) == 77 && (ip & 3) == 0);
    ip |= 1;
    assert(*(int *)(ip & ~1ul) == 3);
    assert((intptr_t)(int *)0 == 0);
    int *nul = 0;
    assert(!nul && nul == NULL && (nul ? 0 : 1));
    struct {
        int x;
        struct {
            char c;
            int d[3];
        } y;
    } s, *ps = &s;
    int *pd = &ps->y.d[1];
    *pd = 4;
    assert(s.y.d[1] == 4 && (char *)pd - (char *)ps == 12);
    typeof(s) *back = (void *)((char *)pd - offsetof(typeof(s), y.d[1]));
    assert(back == ps);
    assert(&*nul == 0);
    assert(&a[0] <= &a[0] && !(&a[1] <= &a[0]));
    assert((a + 3) - (a + 7) == -4);
    int z[2] = {3, 1};
    qsort(z, 2, sizeof *z, cmp);
    assert(z[0] == 1);
    long long ll = 0x1122334455667788;
    char buf[16];
    memcpy(buf + 1, &ll, 8);
    long long l2;
    memcpy(&l2, buf + 1, 8);
    assert(l2 == ll);
    return 0;
}
