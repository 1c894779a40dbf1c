// An `int` is passed where `va_arg` reads a `long` (C11 7.16.1.1p2).
//
// expect: undefined-behaviour false
#include <stdarg.h>

static long sum(int n, ...) {
    long total = 0;
    va_list arguments;
    va_start(arguments, n);
    for (int i = 0; i < n; i++)
        total += va_arg(arguments, long);
    va_end(arguments);
    return total;
}

int main(void) { return sum(2, 1L, 2) != 3; }
