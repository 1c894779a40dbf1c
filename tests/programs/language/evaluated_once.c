// What is evaluated once, and what is evaluated at all: the value of a range in an initialiser, hints to the compiler.
// expect: unreach-call true
// native: yes
#include <assert.h>

struct Pair {
    int a, b;
};

int calls;

static int next(void) { return ++calls; }
static struct Pair pair(void) { return (struct Pair){++calls, 7}; }

int main(void) {
    int a[6] = {[1 ... 3] = next(), [5] = 9};
    assert(calls == 1 && a[0] == 0 && a[1] == 1 && a[3] == 1 && a[4] == 0 && a[5] == 9);
    struct Pair p[4] = {[0 ... 2] = pair(), [1] = {5, 6}};
    assert(calls == 2 && p[0].a == 2 && p[2].b == 7 && p[1].a == 5 && p[3].b == 0);
    struct Pair q[3] = {[0 ... 1] = {next(), next()}};
    assert(calls == 4 && q[0].a + q[0].b == 7 && q[1].a == q[0].a && q[1].b == q[0].b && q[2].a == 0);
    char texts[3][4] = {[0 ... 2] = "ab", [1] = "c"};
    assert(texts[0][1] == 'b' && texts[1][0] == 'c' && texts[1][1] == 0 && texts[2][0] == 'a');
    int n = 0;
    if (__builtin_expect(calls == 4, n++) && n == 1)
        calls = 0;
    int *aligned = __builtin_assume_aligned(a, 4, n++ * 0);
    assert(n == 2 && aligned == a);
    assert(__builtin_classify_type(n) == 1 && __builtin_classify_type(1.0) == 8 && __builtin_classify_type(p[0]) == 12);
    return 0;
}
