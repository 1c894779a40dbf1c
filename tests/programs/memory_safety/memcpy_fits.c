// A string is copied into a buffer that has room for it.
// expect: valid-memsafety true
#include <string.h>

char name[5];

int main(void)
{
    const char *from = "four";
    memcpy(name, from, strlen(from) + 1);
    return 0;
}
