// A stream that has no more input has ended or failed; one that has ended stays so.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char byte;
    if (fread(&byte, 1, 1, stdin) == 1)
        return 0;
    assert(feof(stdin) || ferror(stdin));
    if (feof(stdin)) {
        assert(getchar() == EOF);
        clearerr(stdin);
        assert(!feof(stdin));
    }
    return 0;
}
