// Assorted: variadic functions with records of all sizes, lists that are copied and passed on.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct s1 {
    char c;
};
struct s3 {
    char c[3];
};
struct s12 {
    int a, b, c;
};
struct s16 {
    long a;
    double b;
};
struct s24 {
    long a, b, c;
};
struct fd {
    float f, g;
};
union u {
    long l;
    double d;
};
static long f(int n, ...) {
    va_list ap;
    va_start(ap, n);
    long r = 0;
    for (int i = 0; i < n; i++) r = r * 3 + va_arg(ap, int);
    va_end(ap);
    return r;
}
static double d(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double r = 0;
    while (n--) r = r * 2 + va_arg(ap, double);
    va_end(ap);
    return r;
}
static void m(const char *k, ...) {
    va_list ap, aq;
    va_start(ap, k);
    va_copy(aq, ap);
    assert(va_arg(ap, struct s1).c == 'q');
    struct s3 x = va_arg(ap, struct s3);
    assert(x.c[2] == '3');
    assert(va_arg(ap, int) == -2);
    struct s12 y = va_arg(ap, struct s12);
    assert(y.c == 3);
    struct s16 z = va_arg(ap, struct s16);
    assert(z.a == 4 && z.b == .5);
    assert(va_arg(ap, struct s24).c == 9);
    struct fd w = va_arg(ap, struct fd);
    assert(w.g == 2.5f);
    assert(va_arg(ap, union u).l == 77);
    assert(va_arg(ap, double) == 1.5f);
    assert(va_arg(ap, unsigned) == 255);
    assert(va_arg(ap, char *)[0] == 'e');
    assert(va_arg(ap, long long) == -1);
    assert(va_arg(ap, void *) == 0);
    int (*fp)(void) = va_arg(ap, int (*)(void));
    (void)fp;
    va_end(ap);
    assert(va_arg(aq, struct s1).c == 'q');
    va_end(aq);
}
static int vs(int n, va_list a) {
    int s = 0;
    while (n--) s += va_arg(a, int);
    return s;
}
static int two(int n, ...) {
    va_list a;
    va_start(a, n);
    int s = vs(n, a);
    va_end(a);
    va_start(a, n);
    s = s * 100 + vs(n, a);
    va_end(a);
    return s;
}
static int fwd(int n, ...) {
    va_list a;
    va_start(a, n);
    va_list b;
    va_copy(b, a);
    int s = vs(1, a);
    va_end(a);
    s += vs(n, b);
    va_end(b);
    return s;
}
static int noargs(int n, ...) { return n; }
static struct s24 ret(int n, ...) {
    va_list a;
    va_start(a, n);
    struct s24 r = va_arg(a, struct s24);
    va_end(a);
    r.a += n;
    return r;
}
int main(void) {
    assert(f(9, 1, 2, 3, 4, 5, 6, 7, 8, 9) ==
           ((((((((1L * 3 + 2) * 3 + 3) * 3 + 4) * 3 + 5) * 3 + 6) * 3 + 7) * 3 + 8) * 3 + 9));
    assert(d(10, 1., 0., 0., 0., 0., 0., 0., 0., 0., 1.f) == 513);
    m("", (struct s1){'q'}, (struct s3){{'1', '2', '3'}}, (short)-2, (struct s12){1, 2, 3}, (struct s16){4, .5},
      (struct s24){7, 8, 9}, (struct fd){1, 2.5}, (union u){77}, 1.5f, (unsigned char)255, "e", -1ll, (void *)0,
      (int (*)(void))0);
    assert(two(3, 1, 2, 3) == 606);
    assert(fwd(2, 5, 6) == 16);
    assert(noargs(1) == 1 && noargs(2, 3, 4.0) == 2);
    assert(ret(1, (struct s24){1, 2, 3}).a == 2);
    return 0;
}
