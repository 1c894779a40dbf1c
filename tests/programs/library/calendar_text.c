// strftime in the C locale.
// expect: unreach-call true
// native: yes
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <time.h>

static void check(const struct tm *tm, const char *format, const char *expected)
{
    char text[32];
    assert(strftime(text, sizeof text, format, tm) == strlen(expected));
    assert(!strcmp(text, expected));
}

int main(void)
{
    time_t second = 1000000000;
    struct tm tm;
    gmtime_r(&second, &tm);
    check(&tm, "%Y-%m-%d %H:%M:%S", "2001-09-09 01:46:40");
    check(&tm, "%a %b %e %j", "Sun Sep  9 252");
    check(&tm, "%G-W%V-%u", "2001-W36-7");
    check(&tm, "%I %p %y%%", "01 AM 01%");
    check(&tm, "%F|%T|%D", "2001-09-09|01:46:40|09/09/01");
    char text[8];
    assert(strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0);
    assert(timegm(&tm) == second);
    return 0;
}
