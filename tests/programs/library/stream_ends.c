// A stream that gives less than was asked for has ended or failed, and one that has ended stays so.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char bytes[2];
    size_t n = fread(bytes, 1, sizeof bytes, stdin);
    assert(n <= sizeof bytes);
    if (n < sizeof bytes)
        assert(feof(stdin) || ferror(stdin));
    if (feof(stdin)) {
        assert(getchar() == EOF);
        clearerr(stdin);
        assert(!feof(stdin) && !ferror(stdin));
    }
    return 0;
}
