// The variable that holds the pointer ends with the program.
// expect: valid-memsafety false
// expect: valid-memtrack false
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 0;
    return *p;
}
