// A variable of the environment is there or not, but it stays so; what is set is what one gets.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *home = getenv("HOME");
    assert(home == getenv("HOME"));
    setenv("COLOUR", "red", 1);
    assert(strcmp(getenv("COLOUR"), "red") == 0);
    unsetenv("COLOUR");
    assert(getenv("COLOUR") == 0);
    return 0;
}
