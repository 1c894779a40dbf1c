// The buffer has room for fewer wide characters than fgetws is told.
// expect: valid-memsafety false
#include <stdio.h>
#include <wchar.h>

int main(void)
{
    wchar_t line[3];
    return fgetws(line, 4, stdin) == NULL;
}
