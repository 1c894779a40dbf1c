// A line of wide characters ends with a zero within the buffer that it is read into.
// expect: valid-memsafety true
// explore: unknown
#include <stdio.h>
#include <wchar.h>

int main(void)
{
    wchar_t line[4];
    if (fgetws(line, 4, stdin) == NULL)
        return 0;
    const wchar_t *at = line;
    while (*at)
        at++;
    return at - line;
}
