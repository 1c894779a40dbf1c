/* The string has no end that was ever set: its length depends on what happens to be in memory. */
// expect: undefined-behaviour false
#include <string.h>

int main(void) {
    char name[8];
    name[0] = 'a';
    name[7] = 0;
    return strlen(name) > 3;
}
