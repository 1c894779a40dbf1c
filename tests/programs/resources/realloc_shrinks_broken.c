// A block that became smaller ends earlier, also if it stayed where it was.
// expect: valid-memsafety false
#include <stdlib.h>

int main(void) {
    char *block = malloc(8);
    block = realloc(block, 4);
    block[4] = 1;
    free(block);
    return 0;
}
