// `%e` and `%g` of ordinary numbers, wide output, and the last bits of a quotient.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

int main(void) {
    char text[40];
    wchar_t wide[16];
    int quotient;
    assert(snprintf(text, sizeof text, "%e|%.0e|%E", 1.5, 2.5, 0.001) == 12 + 1 + 5 + 1 + 12);
    assert(!strcmp(text, "1.500000e+00|2e+00|1.000000E-03"));
    snprintf(text, sizeof text, "%g|%g|%g|%#g", 0.0001, 100000.0, 1e6, 2.0);
    assert(!strcmp(text, "0.0001|100000|1e+06|2.00000"));
    snprintf(text, sizeof text, "%+08.3g|%-8.2e|", 3.14159, -12.0);
    assert(!strcmp(text, "+0003.14|-1.20e+01|"));
    assert(swprintf(wide, 16, L"%d-%ls", 42, L"ab") == 5 && !wcscmp(wide, L"42-ab"));
    assert(swprintf(wide, 3, L"%d", 12345) < 0);
    assert(remquo(7, 2, &quotient) == -1 && (quotient & 7) == 4);
    return 0;
}
