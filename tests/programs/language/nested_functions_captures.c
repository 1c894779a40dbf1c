// Nested functions (GNU C) that use variables of the functions around them: called by name, also recursively and by each other, in several activations
// of the function around; passed down as values; with parameters and records.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

struct pair { int at[2]; };

static int apply(int (*f)(int), int x) { return f(x); }

static int activations(int n) {
    int sum = 0;
    int add(int k) {
        sum += k;
        return k ? add(k - 1) : sum;
    }
    int result = add(n);
    if (n > 1) result += 100 * activations(n - 1);
    sum += 1000;
    return result + sum;
}

static int siblings(struct pair pair, int more) {
    int get(int i) { return pair.at[i] + more; }
    pair.at[1] = 9;
    int both(void) { return get(0) + get(1); }
    return both();
}

static int passed_down(int base) {
    int add(int x) { return x + base; }
    int first = apply(add, 1);
    base = 20;
    return 100 * first + apply(add, 2);
}

static int two_levels(int a) {
    int outer(int b) {
        int inner(int c) { return a * 100 + b * 10 + c; }
        return inner(3);
    }
    return outer(2);
}

int main(void) {
    assert(activations(2) == 3 + 1003 + 100 * (1 + 1001));
    struct pair pair = {{1, 2}};
    assert(siblings(pair, 10) == 30 && pair.at[1] == 2);
    assert(passed_down(5) == 622);
    assert(passed_down(6) == 722);
    assert(two_levels(1) == 123);
    int a[] = {3, 1, 2}, calls = 0;
    int compare(const void *l, const void *r) {
        calls++;
        return *(const int *)l - *(const int *)r;
    }
    qsort(a, 3, sizeof *a, compare);
    assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && calls > 0);
    return 0;
}
