// Assorted: mutual recursion, call-backs, records as arguments and results, loops left from inside.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int even(unsigned);
static int odd(unsigned n) { return n ? even(n - 1) : 0; }
static int even(unsigned n) { return n ? odd(n - 1) : 1; }
static int ack(int m, int n) { return !m ? n + 1 : !n ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int fib(int n) {
    static int memo[30];
    if (n < 2) return n;
    if (memo[n]) return memo[n];
    return memo[n] = fib(n - 1) + fib(n - 2);
}
static void each(int *a, int n, void (*f)(int, void *), void *c) {
    while (n--) f(*a++, c);
}
static void acc(int x, void *c) { *(long *)c += x; }
static void hanoi(int n, int a, int b, int c, int *k) {
    if (n) {
        hanoi(n - 1, a, c, b, k);
        ++*k;
        hanoi(n - 1, c, b, a, k);
    }
}
static int va(const char *f, ...) {
    va_list l;
    va_start(l, f);
    int r = 0;
    for (; *f; f++) switch (*f) {
        case 'i':
            r += va_arg(l, int);
            break;
        case 'd':
            r += (int)va_arg(l, double);
            break;
        case 's':
            r += strlen(va_arg(l, char *));
        }
    va_end(l);
    return r;
}
struct m {
    int d[2][2];
};
static struct m mul(struct m a, struct m b) {
    struct m r = {0};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) r.d[i][j] += a.d[i][k] * b.d[k][j];
    return r;
}
static struct m pw(struct m a, int n) {
    struct m r = {{{1, 0}, {0, 1}}};
    for (; n; n >>= 1, a = mul(a, a))
        if (n & 1) r = mul(r, a);
    return r;
}
static int find(const int *a, int n, int x) {
    int l = 0, h = n;
    while (l < h) {
        int m = l + (h - l) / 2;
        if (a[m] < x)
            l = m + 1;
        else
            h = m;
    }
    return l < n && a[l] == x ? l : -1;
}
static int collatz(unsigned n) {
    int c = 0;
    for (; n != 1; c++) n = n & 1 ? 3 * n + 1 : n / 2;
    return c;
}
static int sieve(void) {
    char s[50] = {0};
    int c = 0;
    for (int i = 2; i < 50; i++) {
        if (s[i]) continue;
        c++;
        for (int j = i * i; j < 50; j += i) s[j] = 1;
    }
    return c;
}
static int (*sel(int n))(unsigned) { return n ? odd : even; }
static int multi(int n) {
    for (int i = 0;; i++) {
        for (int j = 0; j < 5; j++) {
            if (i * j == n) return i * 10 + j;
            if (j > i) break;
        }
        if (i > 20) goto out;
    }
out:
    return -1;
}
int main(void) {
    assert(even(10) && odd(7) && ack(2, 2) == 7 && fib(25) == 75025);
    long s = 0;
    int a[] = {1, 2, 3};
    each(a, 3, acc, &s);
    assert(s == 6);
    int k = 0;
    hanoi(5, 0, 1, 2, &k);
    assert(k == 31);
    assert(va("ids", 5, 2.9, "abc") == 10);
    assert(pw((struct m){{{1, 1}, {1, 0}}}, 20).d[0][1] == 6765);
    int b[] = {1, 3, 5, 7, 9};
    assert(find(b, 5, 7) == 3 && find(b, 5, 4) == -1);
    assert(collatz(27) == 111 && sieve() == 15);
    assert(sel(1)(3) && !sel(0)(3));
    assert(multi(6) == 23 && multi(1000) == -1);
    int (*vp)(const char *, ...) = va;
    assert(vp("ii", 1, 2) == 3);
    return 0;
}
