// scanf writes scalars and strings of limited width; the terminating zero stays inside.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int number = 7, other = 7;
    char word[4] = "xyz";
    int n = scanf("%d %3s %*d", &number, word);
    assert(word[3] == 0);
    assert(other == 7);
    return n + number;
}
