// A value of the environment is not the program's to free.
// expect: valid-memsafety false
#include <stdlib.h>

int main(void) {
    char *value = getenv("HOME");
    if (value) free(value);
    return 0;
}
