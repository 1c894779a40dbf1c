// What the manual promises about results: read returns -1 or at most the size, rand is not negative, fgets gives its buffer or null.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char buffer[16];
    long n = read(0, buffer, sizeof buffer);
    assert(n >= -1 && n <= 16);
    char *line = fgets(buffer, sizeof buffer, stdin);
    assert(!line || line == buffer);
    assert(getchar() <= 255);
    assert(access("file", R_OK) <= 0);
    return 0;
}
