// Short circuits, the comma operator, conditional expressions, chained assignment, increments, sizeof unevaluated.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

int calls;

int call(int result)
{
    calls++;
    return result;
}

int main(void)
{
    int a, b, i = 5;
    assert(!(call(0) && call(1)) && calls == 1);
    assert((call(1) || call(1)) && calls == 2);
    a = (call(3), call(4));
    assert(a == 4 && calls == 4);
    a = b = 7;
    assert(a == 7 && b == 7);
    a = i++ + 1;
    assert(a == 6 && i == 6);
    b = --i * 2;
    assert(b == 10 && i == 5);
    assert(sizeof(call(1)) == sizeof(int) && calls == 4);
    assert(sizeof(i++) == 4 && i == 5);
    a = call(0) ? call(1) : call(2);
    assert(a == 2 && calls == 6);
    assert((i ?: call(9)) == 5 && calls == 6);
    assert((!!42) == 1 && -(-3) == 3 && +i == 5);
    assert((1 < 2) == 1 && (3 > 2) > 0);
    for (a = 0, b = 10; a < b; a++, b--)
        ;
    assert(a == 5 && b == 5);
    return 0;
}
