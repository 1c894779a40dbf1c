// A variadic function: ints, a long, a pointer; promoted chars; va_copy.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <stdarg.h>

int sum(int count, ...)
{
    va_list args, again;
    int total = 0;
    va_start(args, count);
    va_copy(again, args);
    for (int i = 0; i < count; i++)
        total += va_arg(args, int);
    if (count > 0)
        total += 1000 * va_arg(again, int);
    va_end(again);
    va_end(args);
    return total;
}

long mixed(const char *kinds, ...)
{
    va_list args;
    long total = 0;
    va_start(args, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i')
            total += va_arg(args, int);
        else if (*kinds == 'l')
            total += va_arg(args, long);
        else
            total += *va_arg(args, int *);
    }
    va_end(args);
    return total;
}

int main(void)
{
    int x = 7;
    char c = 'a';
    assert(sum(0) == 0);
    assert(sum(3, 1, 2, 3) == 1006);
    assert(sum(1, c) == 97 + 97000);
    assert(mixed("ilp", 1, 1L << 40, &x) == (1L << 40) + 8);
    return 0;
}
