// A function that prints is called with literals, and with a buffer that has an end.
// expect: valid-memsafety true
// expect: undefined-behaviour true
#include <stdio.h>
#include <string.h>

static void report(const char *line)
{
    if (line)
        printf("%s\n", line);
}

static void twice(const char *line)
{
    report(line);
    report("again");
}

int main(void)
{
    char own[4];
    strcpy(own, "own");
    report("one");
    twice("two");
    twice(own);
    return 0;
}
