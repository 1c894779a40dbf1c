// A variable of the environment is there or not, but it stays so.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *home = getenv("HOME");
    assert(home == getenv("HOME"));
    return 0;
}
