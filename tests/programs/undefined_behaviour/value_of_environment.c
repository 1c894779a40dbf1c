// The value of a variable of the environment is what it is: the library has set it, and a decision on it has a meaning.
// expect: undefined-behaviour true
// explore: unknown
#include <stdlib.h>

int main(void) {
    const char *home = getenv("HOME");
    if (home && home[0] == '/') {
        return 1;
    }
    return 0;
}
