/* The bytes of a `_Bool` are set to what is neither false nor true. */
// expect: undefined-behaviour false
// expect: valid-memsafety true
#include <string.h>

int main(void) {
    unsigned char byte = 2;
    _Bool flag;
    memcpy(&flag, &byte, 1);
    return flag ? 1 : 0;
}
