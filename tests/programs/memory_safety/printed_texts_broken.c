// As printed_texts.c, but the buffer has no end, and reaches printf through a parameter that was a literal elsewhere.
// expect: valid-memsafety false
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
    char own[3];
    memcpy(own, "own", 3);
    report("one");
    twice("two");
    twice(own);
    return 0;
}
