// On x86-64 a list of arguments is an array: a function that is handed one moves its caller's on.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <stdarg.h>

static int next(va_list list) { return va_arg(list, int); }

static int digits(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    int result = 0;
    while (n-- > 0) result = 10 * result + next(list);
    result = 10 * result + next(copy);
    va_end(copy);
    va_end(list);
    return result;
}

int main(void) {
    assert(digits(3, 7, 8, 9) == 7897);
    assert(sizeof(va_list) == 24);
    return 0;
}
