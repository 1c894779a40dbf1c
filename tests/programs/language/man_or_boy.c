// Knuth's test: pointers to a nested function that belong to different activations of the function around it. Which one a pointer belongs to is
// not modelled, so there is no answer, but never a wrong one.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

static int a(int k, int x1(void), int x2(void), int x3(void), int x4(void), int x5(void)) {
    int b(void) { return a(--k, b, x1, x2, x3, x4); }
    return k <= 0 ? x4() + x5() : b();
}
static int one(void) { return 1; }
static int minus_one(void) { return -1; }
static int zero(void) { return 0; }

int main(void) {
    assert(a(3, one, minus_one, minus_one, one, zero) == 0);
    return 0;
}
