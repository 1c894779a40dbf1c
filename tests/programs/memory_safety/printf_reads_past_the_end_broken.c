// `%s` reads up to a terminating zero, and here is none.
// expect: valid-memsafety false
#include <stdio.h>

int main(void) {
    char text[2] = {'a', 'b'};
    printf("%s\n", text);
    return 0;
}
