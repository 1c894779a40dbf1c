// `realloc` may give back another address: a pointer into the old block is lost.
// expect: valid-memsafety false
#include <stdlib.h>

int main(void) {
    char *block = malloc(8), *inside = block + 1;
    block = realloc(block, 16);
    *inside = 1;
    free(block);
    return 0;
}
