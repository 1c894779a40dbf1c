// What the library keeps for itself is no leak: streams, and values of the environment.
// expect: valid-memsafety true
// explore: unknown
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    setenv("NAME", "one", 1);
    setenv("NAME", "two", 1);
    FILE *file = fopen("file", "r");
    if (!file) return 1;
    int c = fgetc(file);
    fclose(file);
    return c == EOF;
}
