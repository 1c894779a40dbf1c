// Assorted: anonymous members, objects that point to themselves, overlapping moves, comparison of bytes.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct A {
    union {
        int i;
        float f;
    };
    struct {
        short x, y;
    };
    _Static_assert(sizeof(int) == 4, "");
    int : 5;
    unsigned b : 3;
};
struct self {
    struct self *me;
    int v;
};
static struct self ss = {&ss, 5};
static int cross_b;
static int *cross_a = &cross_b;
static void cp(int *restrict d, const int *restrict s, int n) {
    while (n--) *d++ = *s++;
}
static int rd(const volatile int *p) { return *p + *p; }
static int arrsum(int n, const int (*a)[n]) {
    int s = 0;
    for (int i = 0; i < n; i++) s += (*a)[i];
    return s;
}
int main(void) {
    struct A a = {.f = 1.0f, .x = 1, .y = 2, .b = 9 & 7};
    assert(a.i == 0x3f800000 && a.y == 2 && a.b == 1);
    assert(ss.me->me->v == 5 && cross_a == &cross_b);
    struct self loc = {&loc, 6}, *pl = &loc;
    assert(pl->me == pl);
    char b[8] = "abcdefg";
    memmove(b + 1, b, 5);
    assert(!memcmp(b, "aabcdeg", 8));
    memmove(b, b + 2, 5);
    assert(!strcmp(b, "bcdegeg") || b[0] == 'b');
    int x[3] = {1, 2, 3}, y[3];
    cp(y, x, 3);
    assert(!memcmp(x, y, sizeof x));
    volatile int v = 4;
    assert(rd(&v) == 8);
    const int c = 3;
    int *pc = (int *)&c;
    assert(*pc == 3);
    register int r = 5;
    assert(r == 5);
    int z[4] = {1, 2, 3, 4};
    assert(arrsum(4, &z) == 10);
    struct {
        char c;
        int i;
    } p1, p2;
    memset(&p1, 0, sizeof p1);
    memset(&p2, 0, sizeof p2);
    p1.c = p2.c = 1;
    p1.i = p2.i = 2;
    assert(!memcmp(&p1, &p2, sizeof p1));
    unsigned char *q = memchr("hello", 'l', 5);
    assert(*q == 'l');
    void *vp = &z[1];
    assert(*(int *)vp == 2);
    assert(((int *)vp)[1] == 3);
    int i = 0;
    int arr[5] = {i++, i++, i++};
    assert(i == 3 && arr[3] == 0);
    int m[2][2] = {{[1] = 1}, {[0] = 2}};
    assert(m[0][1] == 1 && m[1][0] == 2);
    long l = (long)&z[2] - (long)&z[0];
    assert(l == 8);
    char *str[] = {"a", "bc"};
    assert(str[1][1] == 'c' && sizeof str / sizeof *str == 2);
    assert(&str[1] - str == 1);
    for (
        struct {
            int a;
            long b;
        } it = {0, 10};
        it.a < 3; it.a++, it.b--)
        assert(it.a + it.b == 10);
    switch (sizeof(struct A)) {
    case 12:
        break;
    default:
        assert(sizeof(struct A) == 12);
    }
    return 0;
}
