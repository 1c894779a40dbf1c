// A string that does not fit is copied with its length.
// expect: valid-memsafety false
// expect: valid-deref false
#include <string.h>

char name[4];

int main(void)
{
    const char *from = "four";
    memcpy(name, from, strlen(from) + 1);
    return 0;
}
