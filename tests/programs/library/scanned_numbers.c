// What scanf gives tells how much was stored; what was not, is as before.
// expect: unreach-call true
// expect: undefined-behaviour true
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int count = 7;
    short small = 7;
    char letter = 7;
    int n = fscanf(stdin, "%d x %hd%c", &count, &small, &letter);
    assert(n >= -1 && n <= 3);
    if (n < 1)
        assert(count == 7);
    if (n < 2)
        assert(small == 7);
    if (n < 3)
        assert(letter == 7);
    return count == 0 ? 0 : 100 % count;
}
