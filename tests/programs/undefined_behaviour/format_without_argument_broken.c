/* The format has a conversion more than the call has arguments. */
// expect: undefined-behaviour false
#include <stdio.h>

int main(void) {
    const char *format = "never";
    printf("%s %d %c %f\n", format, 1, 'c', 1.5);
    printf("%d of %d\n", 1);
    return 0;
}
