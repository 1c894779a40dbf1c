// Nested functions (GNU C) that use no variables of the function around them are functions like any other, also as values.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

static int calls;

static int apply(int (*f)(int), int x) { return f(x); }

static int factorial(int n) {
    int times(int k) { return k < 2 ? 1 : k * times(k - 1); }
    return times(n);
}

static void sort(int *a, int n) {
    enum { MORE = 1 };
    int compare(const void *l, const void *r) {
        calls++;
        int x = *(const int *)l, y = *(const int *)r;
        return x < y ? -MORE : x > y;
    }
    qsort(a, n, sizeof *a, compare);
}

int main(void) {
    int a[] = {3, 1, 2};
    sort(a, 3);
    assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && calls > 0);
    assert(factorial(5) == 120);
    for (int i = 0; i < 2; i++) {
        static int base = 10;
        int shift(int x) { return x + base; }
        assert(apply(shift, i) == i + 10);
        assert(sizeof(shift(1)) == sizeof(int));
    }
    {
        int shift(int x) { return x - 1; }
        assert(apply(shift, 5) == 4);
    }
    return 0;
}
