// Strings: what the library computes decides, and all of it is computed.
// expect: unreach-call true
// expect: termination true
// expect: no-overflow true
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[] = "key=12, other=0x1f", *rest, *word = strtok_r(line, ", ", &rest);
    assert(strcmp(word, "key=12") == 0);
    char *end, *equals = strchr(word, '=');
    assert(equals && strtol(equals + 1, &end, 10) == 12 && *end == 0);
    word = strtok_r(0, ", ", &rest);
    equals = strchr(word, '=');
    assert(strtoul(equals + 1, 0, 0) == 31);
    assert(strtok_r(0, ", ", &rest) == 0);

    errno = 0;
    assert(strtol("99999999999999999999", 0, 10) == 9223372036854775807L && errno == ERANGE);

    char text[12];
    int n = snprintf(text, sizeof text, "%-4d|%05x|%s", 42, 255u, "tail");
    assert(n == 15);
    assert(strcmp(text, "42  |000ff|") == 0);

    int a, b;
    assert(sscanf("7:-3", "%d:%d", &a, &b) == 2 && a == 7 && b == -3);
    return 0;
}
