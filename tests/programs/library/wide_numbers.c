// Numbers from wide strings, and multibyte characters of the C locale.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void)
{
    wchar_t *end, wide[8];
    assert(wcstol(L" -12x", &end, 10) == -12 && *end == L'x');
    assert(wcstoul(L"ff", &end, 16) == 255 && *end == 0);
    assert(wcstod(L"2.5e1!", &end) == 25.0 && *end == L'!');
    mbstate_t state;
    memset(&state, 0, sizeof state);
    assert(mbrtowc(&wide[0], "A", 1, &state) == 1 && wide[0] == L'A');
    assert(mbrtowc(&wide[0], "", 1, &state) == 0 && mbsinit(&state));
    assert(mbrlen("A", 0, &state) == (size_t)-2);
    memset(&state, 0, sizeof state);
    const char *from = "abc";
    assert(mbsrtowcs(wide, &from, 2, &state) == 2 && *from == 'c');
    assert(mbsrtowcs(wide, &from, 8, &state) == 1 && !from && wide[0] == L'c');
    char narrow[8];
    const wchar_t *source = L"xy";
    assert(wcsrtombs(narrow, &source, 8, &state) == 2 && !source && !strcmp(narrow, "xy"));
    assert(wcrtomb(narrow, L'q', &state) == 1 && narrow[0] == 'q');
    return 0;
}
