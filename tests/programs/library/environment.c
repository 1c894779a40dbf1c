// What is set in the environment is what one gets.
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    setenv("COLOUR", "red", 1);
    assert(strcmp(getenv("COLOUR"), "red") == 0);
    unsetenv("COLOUR");
    assert(getenv("COLOUR") == 0);
    return 0;
}
