// A variable on the stack is freed.
// expect: valid-memsafety false
// expect: valid-free false
#include <stdlib.h>

int main(void)
{
    int x = 0;
    int *p = &x;
    free(p);
    return 0;
}
