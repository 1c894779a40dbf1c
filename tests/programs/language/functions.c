// Function pointers, tables of them, recursion, struct parameters and results, K&R definition, static locals.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

typedef int operation(int, int);

int add(int a, int b)
{
    return a + b;
}

int multiply(int a, int b)
{
    return a * b;
}

int old_style(a, b)
    int a;
    char b;
{
    return a - b;
}

operation *const table[2] = {add, &multiply};

int apply(operation *f, int a, int b)
{
    return (*f)(a, b);
}

operation *pick(int which)
{
    return which ? multiply : add;
}

int factorial(int n)
{
    return n <= 1 ? 1 : n * factorial(n - 1);
}

int is_odd(int n);

int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

struct pair {
    int first, second;
};

struct pair turned(struct pair p)
{
    int t = p.first;
    p.first = p.second;
    p.second = t;
    return p;
}

int next(void)
{
    static int n = 10;
    return n++;
}

int main(void)
{
    struct pair p = {1, 2}, q = turned(p);
    assert(table[0](3, 4) == 7 && apply(table[1], 3, 4) == 12);
    assert(pick(0)(1, 1) == 2 && pick(1) == multiply);
    assert(old_style(5, 2) == 3);
    assert(factorial(5) == 120);
    assert(is_even(4) && !is_even(3));
    assert(p.first == 1 && q.first == 2 && turned(q).second == 2);
    assert(next() == 10 && next() == 11);
    return 0;
}
