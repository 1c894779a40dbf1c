// A file that could not be opened cannot be closed.
// expect: valid-memsafety false
#include <stdio.h>

int main(void) {
    FILE *file = fopen("file", "r");
    fclose(file);
    return 0;
}
