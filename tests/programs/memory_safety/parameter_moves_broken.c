// All calls give a literal, but the function prints what lies behind its end.
// expect: valid-memsafety false
#include <stdio.h>

static void report(const char *line)
{
    line += 4;
    printf("%s\n", line);
}

int main(void)
{
    report("one");
    return 0;
}
