// Wherever it is, a block keeps its bytes, and its size is the new one.
// expect: unreach-call true
// expect: valid-memsafety true
// native: yes
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *block = malloc(2 * sizeof *block);
    block[0] = 1;
    block[1] = 2;
    block = realloc(block, 4 * sizeof *block);
    block[3] = 3;
    assert(block[0] == 1 && block[1] == 2 && block[3] == 3);
    block = realloc(block, sizeof *block);
    assert(block[0] == 1);
    free(block);
    return 0;
}
