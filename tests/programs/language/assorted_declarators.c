// Assorted: declarators, names that hide types, functions that return pointers to arrays of functions.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef int T;
typedef int (*FP)(T), ARR[3];
struct T {
    int T;
};
static T f(T T) { return T + sizeof T; }
static int (*(*g(int i))[2])(T);
static int h1(T x) { return x + 1; }
static int h2(T x) { return x * 2; }
static FP tab[2] = {h1, h2};
static int (*(*g(int i))[2])(T) { return &tab; }
static int arr2[2][3] = {{1, 2, 3}, {4, 5, 6}};
static int (*ga(void))[3] { return arr2 + 1; }
static const char *const *volatile names;
typedef struct node node;
struct node {
    node *next;
    T v;
};
static T sum(ARR a) { return a[0] + a[1] + a[2]; }
enum T2 { T2a };
static void proto(int(int), int[], char (*)[2]);
static int cb(int fn(int), int v) { return fn(v); }
static unsigned long long int ull;
static long unsigned int long lul;
static int const *volatile const cp = 0;
int typedef odd;
static odd o = 3;
int main(void) {
    T T = 4;
    assert(T * 2 == 8);
    {
        typedef char T;
        assert(sizeof(T) == 1);
    }
    struct T s = {.T = 5};
    assert(s.T == 5);
    assert(f(3) == 7);
    assert((*g(0))[1](4) == 8 && (**g(0))(4) == 5);
    assert((*ga())[1] == 5 && ga()[0][2] == 6);
    ARR a = {1, 2, 3};
    assert(sum(a) == 6 && sizeof(ARR) == 12);
    node n = {0, 7};
    assert(n.v == 7 && !n.next);
    assert(cb(h2, 5) == 10);
    assert(sizeof(ull) == 8 && sizeof lul == 8 && !cp && o == 3);
    int(x) = 3;
    assert(x == 3);
    int *p, q, **r, (*w)[2];
    p = &q;
    r = &p;
    **r = 5;
    assert(q == 5 && sizeof w == 8 && sizeof *w == 8);
    {
        int f = 2;
        assert(f + 1 == 3);
    }
    for (T = 0; T < 2; T++);
    assert(T == 2);
label:;
    typedef int label;
    {
        label z = 1;
        assert(z);
    }
    int (*fpa[2])(int) = {h1, h2}, i = 0;
    assert(fpa[i++](1) == 2 && fpa[i](3) == 6);
    assert(sizeof(int (*)[3]) == 8 && sizeof(struct { int a[3]; }) == 12);
    goto e;
    {
        int dead = 1;
        (void)dead;
    }
e:;
    struct {
        struct {
            int a;
        } b;
    } an = {{1}};
    assert(an.b.a == 1);
    extern int later;
    assert(later == 9);
    int k = sizeof(int) * 2, m = (int)-1;
    assert(k == 8 && m == -1);
    assert((T)-1 == 1);
    return 0;
}
int later = 9;
