/* If realloc fails, the old block stays, and its only pointer was overwritten. */
// expect: valid-memtrack false
// expect: valid-deref true
// options: --malloc-may-fail
#include <stdlib.h>

static void give_up(void) { exit(1); }

int main(void) {
    char *block = malloc(8);
    if (!block) return 0;
    block = realloc(block, 1000);
    if (!block) give_up();
    free(block);
    return 0;
}
