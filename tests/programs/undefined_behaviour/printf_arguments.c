// Arguments that suit the formats they are printed by: of the sizes that the length modifiers say, after the usual promotions.
// expect: undefined-behaviour true
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    enum colour { RED } colour = RED;
    unsigned char byte = 1;
    double half = 0.5;
    printf("%d %ld %lld %zu %td %jd\n", colour, 2L, 3LL, sizeof(int), (ptrdiff_t)4, (intmax_t)5);
    printf("%hhu %c %x %5.*f %Lg %*d %s %p %%\n", byte, 'c', 6u, 2, half, 1.5L, 4, 7, "text", (void *)&byte);
    return 0;
}
