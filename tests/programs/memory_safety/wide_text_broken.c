// A text of wide characters without its end is printed.
// expect: valid-memsafety false
#include <wchar.h>

int main(void) {
    wchar_t text[2] = {L'a', L'b'};
    wprintf(L"%ls\n", text);
    return 0;
}
