// What putc returns, how long a sleep may be, and the conventions of the C locale.
// expect: unreach-call true
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
    int c = fputc('a', stderr);
    assert(c == 'a' || c == EOF);
    struct timespec time = { 0, 5 };
    assert(nanosleep(&time, 0) == 0);
    time.tv_nsec = 1000000000;
    assert(nanosleep(&time, 0) == -1 && errno == EINVAL);
    assert(localeconv()->decimal_point[0] == '.' && localeconv()->thousands_sep[0] == 0);
    return 0;
}
