// A precision bounds what `%s` reads, and `write` reads what it is told to.
// expect: valid-memsafety true
// explore: unknown
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char text[2] = {'a', 'b'};
    printf("%.2s\n", text);
    return write(1, text, sizeof text) < 0;
}
