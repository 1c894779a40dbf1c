// Variadic arguments of many types are read as what they are; `float` and `short` arrive as `double` and `int`, a list is handed on and copied.
//
// expect: undefined-behaviour true
// expect: valid-memsafety true
#include <stdarg.h>
#include <stdio.h>

struct point {
    int x, y, z;
};

static int sum(const char *kinds, ...) {
    int total = 0;
    va_list arguments, copy;
    va_start(arguments, kinds);
    va_copy(copy, arguments);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += va_arg(arguments, int); break;
        case 'u': total += (int)va_arg(arguments, unsigned); break;
        case 'd': total += (int)va_arg(arguments, double); break;
        case 'p': total += va_arg(arguments, struct point).z; break;
        case 's': total += *va_arg(arguments, char *); break;
        }
    total += va_arg(copy, int);
    va_end(copy);
    va_end(arguments);
    return total;
}

static void log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

int main(void) {
    struct point point = {1, 2, 3};
    char empty[] = "";
    short small = 4;
    int total = sum("iudpsd", small, 5, 6.5, point, empty, 7.0f);
    log_line("%d %s\n", total, "done");
    return total - 4 - 5 - 6 - 3 - 0 - 7 - 4;
}
