/* The bytes of a `_Bool` are set to those of a `_Bool`. */
// expect: undefined-behaviour true
// expect: valid-memsafety true
#include <string.h>

int main(void) {
    unsigned char byte = 1;
    _Bool flag;
    memcpy(&flag, &byte, 1);
    return flag ? 0 : 1;
}
