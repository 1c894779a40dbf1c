// A buffer is set as far as the text that is copied to it: reading the text again sees nothing else. How far that is, only the values tell.
// expect: undefined-behaviour true
// expect: valid-memsafety true
#include <string.h>

int main(void) {
    char from[8] = "abc", to[8];
    memcpy(to, from, strlen(from) + 1);
    return strcmp(from, to);
}
