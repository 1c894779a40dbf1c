// What was scanned may be zero, whatever it was before.
// expect: undefined-behaviour false
#include <stdio.h>

int main(void)
{
    int first = 7, second = 7;
    scanf("%d%d", &first, &second);
    return first / second;
}
