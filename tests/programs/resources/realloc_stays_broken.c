// `realloc` may give back the same address.
// expect: unreach-call false
// expect: valid-memsafety true
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(8);
    uintptr_t before = (uintptr_t)block;
    block = realloc(block, 16);
    int moved = (uintptr_t)block != before;
    free(block);
    assert(moved);
    return 0;
}
