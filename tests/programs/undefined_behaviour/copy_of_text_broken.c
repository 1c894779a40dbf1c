// The terminating zero is not copied: comparing the texts reads a byte that was never set.
// expect: undefined-behaviour false
#include <string.h>

int main(void) {
    char from[8] = "abc", to[8];
    memcpy(to, from, strlen(from));
    return strcmp(from, to);
}
